//! A client of the X server that asks a window to close and drops files on it, which older xdotools cannot.

use std::path::Path;

use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, InputFocus, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

pub struct Client {
    server: RustConnection,
    root: u32,
}

impl Client {
    pub fn connect(number: &str) -> Self {
        let (server, screen) = RustConnection::connect(Some(&format!(":{number}"))).unwrap();
        let root = server.setup().roots[screen].root;
        Self { server, root }
    }

    fn atom(&self, name: &str) -> u32 {
        self.server.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
    }

    fn send(&self, window: u32, message: &str, data: [u32; 5]) {
        let event = ClientMessageEvent::new(32, window, self.atom(message), data);
        self.server.send_event(false, window, EventMask::NO_EVENT, event).unwrap();
        self.server.sync().unwrap();
    }

    /// Takes the focus away from all windows.
    pub fn unfocus(&self) {
        self.server.set_input_focus(InputFocus::NONE, self.root, x11rb::CURRENT_TIME).unwrap();
        self.server.sync().unwrap();
    }

    /// Asks a window to close as window managers do.
    pub fn ask_to_close(&self, window: u32) {
        self.send(window, "WM_PROTOCOLS", [self.atom("WM_DELETE_WINDOW"), 0, 0, 0, 0]);
    }

    /// Drags files over a window and drops them there, as the protocol XDND, version 5, has it.
    pub fn drop_files(&self, window: u32, files: &[&Path]) {
        let source = self.server.generate_id().unwrap();
        let kind = WindowClass::INPUT_OUTPUT;
        let nothing = CreateWindowAux::new();
        self.server.create_window(0, source, self.root, 0, 0, 1, 1, 0, kind, 0, &nothing).unwrap();
        let [selection, uris, copy] = ["XdndSelection", "text/uri-list", "XdndActionCopy"].map(|name| self.atom(name));
        self.server.set_selection_owner(source, selection, x11rb::CURRENT_TIME).unwrap();
        self.send(window, "XdndEnter", [source, 5 << 24, uris, 0, 0]);
        self.send(window, "XdndPosition", [source, 0, 50 << 16 | 50, 0, copy]);
        let list: String = files.iter().map(|file| format!("file://{}\r\n", file.display())).collect();
        self.until(|event| match event {
            Event::SelectionRequest(request) => {
                self.answer(request, list.as_bytes());
                true
            }
            _ => false,
        });
        let status = self.atom("XdndStatus");
        self.until(|event| matches!(event, Event::ClientMessage(message) if message.type_ == status));
        self.send(window, "XdndDrop", [source, 0, 0, 0, 0]);
        let finished = self.atom("XdndFinished");
        self.until(|event| matches!(event, Event::ClientMessage(message) if message.type_ == finished));
    }

    fn until(&self, mut is_it: impl FnMut(&Event) -> bool) {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !self.server.poll_for_event().unwrap().is_some_and(|event| is_it(&event)) {
            assert!(std::time::Instant::now() < deadline, "the window does not answer what is dropped on it");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    fn answer(&self, request: &SelectionRequestEvent, bytes: &[u8]) {
        let SelectionRequestEvent { requestor, selection, target, property, time, .. } = *request;
        assert_ne!(target, u32::from(AtomEnum::NONE));
        self.server.change_property8(PropMode::REPLACE, requestor, property, target, bytes).unwrap();
        let notice = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time,
            requestor,
            selection,
            target,
            property,
        };
        self.server.send_event(false, requestor, EventMask::NO_EVENT, notice).unwrap();
        self.server.sync().unwrap();
    }
}
