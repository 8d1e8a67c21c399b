//! Chromium by its own protocol, through a pipe: windows as narrow as a phone, light and dark, and keys as a
//! keyboard sends them.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::chromium;

/// Only a browser that hangs takes as long.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page, which ends with this.
pub(crate) struct Browser {
    child: Child,
    requests: File,
    messages: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    _home: tempfile::TempDir,
}

impl Browser {
    pub(crate) fn start() -> Browser {
        let home = tempfile::tempdir().expect("a folder for the browser");
        let [there, back] = ["there", "back"].map(|name| home.path().join(name));
        let made = Command::new("mkfifo").args([&there, &back]).status().expect("mkfifo starts");
        assert!(made.success(), "mkfifo: {made}");
        // The browser reads from descriptor 3 and writes to descriptor 4.
        let child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<\"$THERE\" 4>\"$BACK\"", "sh"])
            .arg(chromium())
            .args([
                "--headless",
                "--hide-scrollbars",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--remote-debugging-pipe",
            ])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .arg("--host-resolver-rules=MAP * ~NOTFOUND")
            .arg(format!("--user-data-dir={}", home.path().join("profile").display()))
            .env("THERE", &there)
            .env("BACK", &back)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromium starts");
        let requests = File::options().write(true).open(&there).expect("a pipe to the browser");
        let answers = File::open(&back).expect("a pipe from the browser");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("chromium speaks JSON");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser { child, requests, messages, session: None, sent: 0, _home: home };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        browser.call("Page.enable", json!({}));
        browser
    }

    /// Calls a method of the protocol and waits for its answer.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut request = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            request["sessionId"] = session.as_str().into();
        }
        let mut bytes = request.to_string().into_bytes();
        bytes.push(0);
        self.requests.write_all(&bytes).expect("the browser listens");
        let id = self.sent;
        let answer = self.wait(|message| message["id"] == id);
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("chromium answers within two minutes");
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Sets the size of the window and the reader's choice of colours.
    pub(crate) fn window(&mut self, width: u32, height: u32, dark: bool) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Opens a page and waits until all of it is there.
    pub(crate) fn open(&mut self, page: &Path) {
        self.call("Page.navigate", json!({"url": format!("file://{}", page.display())}));
        self.wait(|message| message["method"] == "Page.loadEventFired");
    }

    /// What an expression comes to in the page; a promise is waited for.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Presses and releases a key: `Tab`, `Enter`, ` `, `ArrowRight`, `s`.
    pub(crate) fn press(&mut self, key: &str) {
        let (code, virtual_key) = match key {
            "Tab" => ("Tab", 9),
            "Enter" => ("Enter", 13),
            " " => ("Space", 32),
            "ArrowLeft" => ("ArrowLeft", 37),
            "ArrowRight" => ("ArrowRight", 39),
            "End" => ("End", 35),
            _ => ("", u32::from(key.as_bytes()[0])),
        };
        let text = match key {
            "Enter" => "\r",
            _ if key.len() == 1 => key,
            _ => "",
        };
        let mut event =
            json!({"type": "keyDown", "key": key, "code": code, "windowsVirtualKeyCode": virtual_key});
        if !text.is_empty() {
            event["text"] = text.into();
        }
        self.call("Input.dispatchKeyEvent", event.clone());
        event["type"] = "keyUp".into();
        self.call("Input.dispatchKeyEvent", event);
    }

    /// What is seen of the page, as a PNG.
    pub(crate) fn picture(&mut self, file: &Path) {
        let params = json!({"format": "png", "captureBeyondViewport": true});
        let shot = self.call("Page.captureScreenshot", params);
        let text = shot["data"].as_str().expect("a picture");
        std::fs::write(file, base64(text)).expect("the picture is written");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bytes of a text in base 64.
fn base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.bytes() {
        let digit = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        (bits, count) = (bits << 6 | u32::from(digit), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
