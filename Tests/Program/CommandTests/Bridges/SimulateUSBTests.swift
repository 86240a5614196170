import Foundation
import Glibc
import Testing

/// `simulate usb` with a client that the test plays, and with the kernel's own tool.
@Suite("Simulated readers for other machines")
struct SimulateUSBTests {
    private let scratch: Scratch
    private let path: String

    init() throws {
        scratch = try Scratch()
        path = scratch.file("usbip.sock")
    }

    private static let powerOn: [UInt8] = [0x62, 0, 0, 0, 0, 0, 1, 0, 0, 0]

    private static func transfer(_ apdu: [UInt8]) -> [UInt8] {
        [0x6F, UInt8(apdu.count), 0, 0, 0, 0, 2, 0, 0, 0] + apdu
    }

    private func start(_ arguments: [String], input: String = "") throws -> Child {
        let child = try Child(
            ["simulate", "usb", "--listen", path] + arguments, in: scratch, input: input)
        #expect(child.wait { FileManager.default.fileExists(atPath: path) })
        return child
    }

    /// The lines of stdout, each a JSON object.
    private func lines(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `it exports a reader with a card, prints each event on a line, and ends on a signal without an error`(
        signal: Int32
    ) throws {
        let child = try start(
            [
                "--model", "short-apdu", "--model", "dual-interface", "--usb-id", "08e6:4433", "--json", "--seed", "7",
                "--trace", scratch.file("t"), "--virtual-time",
            ])
        let client = try USBIPSocket(path: path)
        let (status, record) = try client.importDevice()
        #expect(status == 0)
        #expect(record[300..<304] == [0x08, 0xE6, 0x44, 0x33])
        #expect(try client.exchange(Self.powerOn).dropFirst(10) == [0x3B, 0x60, 0x00, 0x00])
        let select: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10, 0x00]
        #expect(try client.exchange(Self.transfer(select)).suffix(2) == [0x90, 0x00])
        #expect(try USBIPSocket(path: path).importDevice().status == 2)
        child.send(signal)
        #expect(try client.receive(1) == [])
        let result = try child.result()
        #expect(result.status == 0 && result.error == "")
        let events = try lines(result.output)
        #expect(
            events.compactMap { $0["event"] as? String } == [
                "listening", "imported", "coldReset", "command", "refused", "powerOff", "released",
            ])
        let readers = try #require(events[0]["readers"] as? [[String: Any]])
        #expect(readers.map { $0["busID"] as? String } == ["1-1", "1-2"])
        #expect(readers.map { $0["usb"] as? String } == ["08e6:4433", "08e6:4433"])
        #expect(readers.map { $0["slots"] as? Int } == [1, 2])
        #expect(events[0]["address"] as? String == path)
        #expect(events[2]["atr"] as? String == "3B600000" && events[2]["slot"] as? Int == 0)
        #expect(events[3]["ins"] as? String == "A4" && events[3]["sw"] as? String == "9000")
        #expect(events[4]["reason"] as? String == "in use by another client")
        #expect(try scratch.text("t").hasPrefix(#"{"c":"00A4040007A000000003101000","r":"6F32"#))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `text for people goes to stderr, and with --once it ends with its client`() throws {
        let child = try start(["--model", "tpdu-t0", "--once"])
        var client: USBIPSocket? = try USBIPSocket(path: path)
        #expect(try client?.importDevice().status == 0)
        client = nil
        let result = try child.result()
        #expect(result.status == 0 && result.output == "")
        #expect(
            result.error == """
                Listening on \(path)
                  1-1  1209:0006  Simulated T=0 reader
                1-1 attached
                1-1 detached: the peer disconnected

                """)
    }

    @Test func `lines on standard input insert and remove cards and readers`() throws {
        let child = try start(
            ["--model", "pinpad", "--model", "tpdu", "--card", "pin-required", "--empty"],
            input: "insert\ninsert 1-2\nremove 1-2\n\nremove 1-2\nunplug 1-2\nplug 1-2\nopen\npin 1234\nunplug")
        #expect(child.wait { child.errorOutput.contains("unknown action") })
        let client = try USBIPSocket(path: path)
        #expect(try client.importDevice().status == 0)
        #expect(try client.exchange(Self.powerOn).dropFirst(10) == [0x3B, 0x60, 0x00, 0x00])
        child.send(SIGTERM)
        let result = try child.result()
        #expect(result.status == 0)
        let told = result.error.split(separator: "\n").dropFirst(3).prefix(7)
        #expect(
            Array(told) == [
                "1-1 card inserted", "1-2 card inserted", "1-2 card removed", "Command failed: there is no card in 1-2",
                "1-2 unplugged", "1-2 plugged in",
                "Command failed: unknown action; use insert, remove, swipe, unplug, plug, crowd, alone, or unlock with a "
                    + "reader, pin with digits, or away with a number",
            ])
        // A line that was not ended is none.
        #expect(!result.error.contains("1-1 unplugged"))
    }

    @Test func `a PIN from standard input is entered at the reader and printed nowhere`() throws {
        let child = try start(
            ["--model", "pinpad", "--card", "pin-required", "--json", "--virtual-time", "--trace", scratch.file("t")],
            input: "pin 7391\n73917391\n")
        #expect(child.wait { child.output.contains("notDone") })
        let client = try USBIPSocket(path: path)
        #expect(try client.importDevice().status == 0)
        _ = try client.exchange(Self.powerOn)
        for apdu in [
            [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10, 0x00],
            [0x80, 0xA8, 0x00, 0x00, 0x02, 0x83, 0x00, 0x00],
        ] as [[UInt8]] {
            #expect(try client.exchange(Self.transfer(apdu)).suffix(2) == [0x90, 0x00])
        }
        let structure: [UInt8] = [
            0x00, 0x1E, 0x89, 0x47, 0x04, 0x0C, 0x04, 0x02, 0x01, 0x09, 0x04, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x20, 0x00, 0x80, 0x08, 0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        ]
        let secure: [UInt8] = [0x69, UInt8(structure.count), 0, 0, 0, 0, 3, 0, 0, 0]
        // It is not the right one: two tries are left.
        #expect(try client.exchange(secure + structure).suffix(2) == [0x63, 0xC2])
        child.send(SIGTERM)
        let result = try child.result()
        #expect(result.status == 0)
        for text in [result.output, result.error, try scratch.text("t")] {
            #expect(!text.contains("7391") && !text.contains("247391"))
        }
    }

    @Test func `the kernel's tool shows the readers`() throws {
        let child = try Child(
            [
                "simulate", "usb", "--listen", "127.0.0.1:0", "--json", "--model", "tpdu", "--model", "dual-interface",
                "--usb-id", "08e6:4433",
            ], in: scratch)
        #expect(child.wait { child.output.contains("\n") })
        let address = try #require(try lines(child.output).first?["address"] as? String)
        let port = try #require(address.split(separator: ":").last)
        let listed = try Child(
            program: "/usr/sbin/usbip", ["--tcp-port", String(port), "list", "-r", "127.0.0.1"], in: scratch
        ).result()
        #expect(listed.status == 0)
        let devices = listed.output.split(separator: "\n").filter { $0.contains("(08e6:4433)") }
        #expect(devices.count == 2)
        #expect(devices.last?.contains("1-2: ") == true)
        #expect(listed.output.matches(of: /\(0b\/00\/00\)/).count == 3)
        child.send(SIGTERM)
        #expect(try child.result().output.contains(#""event":"listed""#))
    }

    @Test func `a missing peer is an error only without waiting`() throws {
        let arguments = ["simulate", "usb", "--listen", path, "--wait", "0"]
        let told = try Program.run(arguments, in: scratch)
        #expect(told.status == 69)
        #expect(told.error.contains("no connection to \(path) in time"))
        let asked = try Program.run(arguments + ["--json"], in: scratch)
        let last = try #require(try lines(asked.output).last)
        #expect((last["error"] as? [String: Any])?["code"] as? String == "nobody_there")
    }

    @Test func `an address in use is an error`() throws {
        let child = try start([])
        let result = try Program.run(["simulate", "usb", "--listen", path], in: scratch)
        #expect(result.status == 69)
        #expect(result.error.contains("cannot listen on \(path): Address already in use"))
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test(arguments: [
        ["--usb-id", "8e6:4433"], ["--usb-id", "+8e6:4433"], ["--usb-id", "08e6"], ["--usb-id", "08e6:44g3"],
        ["--listen", "localhost"], ["--listen", "localhost:65536"], ["--model", "msr", "--high-speed"],
        ["--wait", "-1"], ["--model", "tpdu-t1"],
    ])
    func `invalid options are rejected`(options: [String]) throws {
        let result = try Program.run(["simulate", "usb"] + options, in: scratch)
        #expect(result.status == 64)
    }

    @Test func `more readers than bus addresses are rejected`() throws {
        let models = Array(repeating: ["--model", "tpdu"], count: 128).flatMap(\.self)
        let result = try Program.run(["simulate", "usb"] + models, in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains("at most 127 devices, not 128"))
    }

    @Test func `it ends without an error when its output is closed`() throws {
        let result = try Program.run(
            shell: #"timeout 50 "$0" "$@" < /dev/null | head -1; exit ${PIPESTATUS[0]}"#,
            ["simulate", "usb", "--json", "--listen", path], in: scratch)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix(#"{"address":""#))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `running out of file descriptors does not end it`() throws {
        let child = try Child(
            program: "/bin/bash",
            ["-c", #"ulimit -n 48; exec "$0" "$@""#, Program.path, "simulate", "usb", "--json", "--listen", path],
            in: scratch)
        #expect(child.wait { FileManager.default.fileExists(atPath: path) })
        // Each takes five.
        var idle = try (0..<16).map { _ in try USBIPSocket(path: path) }
        #expect(child.wait { child.isAsleep })
        idle = []
        #expect(idle.isEmpty)
        // A connection before descriptors are free again is closed.
        #expect(child.wait { (try? USBIPSocket(path: path).importDevice().status) == 0 })
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `unknown models and cards are rejected with suggestions`() throws {
        let model = try Program.run(["simulate", "usb", "--model", "short-adpu"], in: scratch)
        #expect(model.error.contains("did you mean 'short-apdu'?"))
        let card = try Program.run(["simulate", "usb", "--card", "visa-credti"], in: scratch)
        #expect(card.status == 64)
        #expect(card.error.contains("did you mean 'visa-credit'?"))
    }
}
