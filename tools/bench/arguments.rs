//! The command line.

use std::path::{Path, PathBuf};

use clap::Parser;

use crate::setting::key_and_value;

/// Measures cases of known size beside what the device itself could do at best: GPU time of whole frames, CPU time of
/// recording them, and constraints solved a second
#[derive(Debug, Parser)]
#[command(name = "bench", version)]
pub struct Arguments {
    /// Runs small sizes and few frames, to see that all works: under a minute on two cores without a GPU
    #[arg(long)]
    pub quick: bool,

    /// Runs only what has this text in its name; may be given many times
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,

    /// Lists what there is to run
    #[arg(long)]
    pub list: bool,

    /// Writes all that was measured, each repetition of it, as JSON; `-` writes it to standard output, without the table
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// How often each case is run from its start
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(5..=1000))]
    pub repetitions: u32,

    /// Changes a parameter of every scene; may be given many times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub settings: Vec<(String, String)>,

    /// Device to measure: its index, or part of its name; else TAUTLINE_DEVICE, else the best one
    #[arg(long, value_name = "NAME|INDEX")]
    pub device: Option<String>,
}

impl Arguments {
    /// Whether what has this name is to be run.
    pub fn selects(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.only.is_empty() || self.only.iter().any(|text| name.contains(&text.to_lowercase()))
    }

    /// Whether standard output is for JSON.
    pub fn json_alone(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }

    /// The file that is to have JSON.
    pub fn json_file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|_| !self.json_alone())
    }
}
