// What kernels do that take several passes of pbd in one dispatch: `sweeps` sweeps of a substep, or all sweeps of `substeps`
// substeps.

layout(push_constant) uniform FusedPush {
    uint substeps;
    uint sweeps;   // of each substep, in this dispatch
    uint predicts; // whether these are the first of their substeps
    uint finishes; // whether they are the last
    uint first_substep; // number of the first one within its step
    uint accumulates; // whether lambdas go on from sweep to sweep, which tiles cannot
    uint first_sweep; // number of the first one within its substep, where they do
} push;
