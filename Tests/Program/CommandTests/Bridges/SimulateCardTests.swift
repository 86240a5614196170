import Foundation
import Glibc
import Testing

/// `simulate card` in front of a peer that the test plays: it connects to a socket of the test.
@Suite("A simulated card for other terminals")
struct SimulateCardTests {
    private let scratch: Scratch
    private let path: String

    init() throws {
        scratch = try Scratch()
        path = scratch.file("reader.sock")
    }

    /// The lines of stdout, each a JSON object.
    private func lines(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `it serves the card, prints each event on a line, and ends on a signal without an error`(signal: Int32) throws
    {
        let reader = try ReaderSocket(path: path)
        let child = try Child(
            ["simulate", "card", "visa-credit", "--vpcd", path, "--json", "--trace", scratch.file("t"), "--seed", "7"],
            in: scratch)
        try reader.accept()
        try reader.send([0, 1, 4])
        #expect(try reader.receive(6) == [0, 4, 0x3B, 0x60, 0, 0])
        try reader.send([0, 1, 1])
        try reader.send([0, 12, 0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10])
        #expect(try reader.receive(4) == [0, 2, 0x61, 0x34])
        child.send(signal)
        #expect(try reader.receive(1) == [])
        let result = try child.result()
        #expect(result.status == 0 && result.error == "")
        let events = try lines(result.output)
        #expect(
            events.compactMap { $0["event"] as? String } == ["connected", "coldReset", "command", "disconnected"])
        #expect(events[1]["atr"] as? String == "3B600000")
        #expect(events[2]["ins"] as? String == "A4" && events[2]["sw"] as? String == "9000")
        #expect(events[3]["commands"] as? Int == 1)
        #expect(try scratch.text("t").hasPrefix(#"{"c":"00A4040007A000000003101000","r":"6F32"#))
    }

    @Test func `text for people goes to stderr, and the card is removed from QEMU's reader before the program ends`()
        throws
    {
        let reader = try ReaderSocket(path: path)
        let child = try Child(["simulate", "card", "t1-card", "--vscard", path], in: scratch)
        try reader.accept()
        let greeting = try reader.receive(24)
        #expect(greeting.suffix(12) == Array("VSCD".utf8) + [0, 0, 0, 2, 0, 0, 0, 0])
        try reader.send(greeting)
        _ = try reader.receive(24)
        try reader.send([0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0])
        let put = try reader.receive(21)
        #expect(put.prefix(12) == [0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 9])
        child.send(SIGTERM)
        #expect(try reader.receive(100) == [0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0])
        let result = try child.result()
        #expect(result.status == 0 && result.output == "")
        #expect(
            result.error
                == "Connected to \(path)\nReset: 3BE000008131FE45EB\nDisconnected after 0 commands\n")
    }

    @Test func `with --once it ends with the connection, without it it reconnects`() throws {
        let reader = try ReaderSocket(path: path)
        let once = try Child(["simulate", "card", "visa-credit", "--vpcd", path, "--once"], in: scratch)
        try reader.accept()
        reader.hangUp()
        let result = try once.result()
        #expect(result.status == 0)
        #expect(result.error.hasSuffix("Disconnected after 0 commands: the peer disconnected\n"))

        let again = try Child(["simulate", "card", "visa-credit", "--vpcd", path], in: scratch)
        for _ in 0..<2 {
            try reader.accept()
            try reader.send([0, 1, 4])
            #expect(try reader.receive(6).count == 6)
            reader.hangUp()
        }
        again.send(SIGINT)
        #expect(try again.result().status == 0)
    }

    @Test func `in simulated time a card that takes a minute responds at once`() throws {
        let profile = try scratch.write(
            """
            name: slow
            description: Visa card that takes its time
            card:
              processingMilliseconds: 60000
            applications:
              - aid: A0000000031010
                label: VISA CREDIT
                pan: 4761739001010010
                expiry: 2035-12-31
                issuerCountry: 840
                currency: USD
                cryptogram: cvn18
            """, to: "slow.yaml")
        let reader = try ReaderSocket(path: path)
        let child = try Child(["simulate", "card", profile, "--vpcd", path, "--once", "--virtual-time"], in: scratch)
        try reader.accept()
        try reader.send([0, 1, 1, 0, 4, 0x00, 0xB2, 0x01, 0x0C])
        #expect(try reader.receive(4) == [0, 2, 0x69, 0x85])
        reader.hangUp()
        #expect(try child.result().status == 0)
    }

    @Test func `a missing peer is an error only without waiting`() throws {
        let arguments = ["simulate", "card", "visa-credit", "--vpcd", path, "--wait", "0"]
        let told = try Program.run(arguments, in: scratch)
        #expect(told.status == 69)
        #expect(told.error.contains("cannot connect to \(path): No such file or directory"))
        let asked = try Program.run(arguments + ["--json"], in: scratch)
        #expect(asked.status == 69)
        let last = try #require(try lines(asked.output).last)
        #expect((last["error"] as? [String: Any])?["code"] as? String == "nobody_there")
    }

    @Test func `a peer with another protocol is an error`() throws {
        let reader = try ReaderSocket(path: path)
        let child = try Child(["simulate", "card", "visa-credit", "--vpcd", path, "--json"], in: scratch)
        try reader.accept()
        try reader.send([0, 1, 9])
        let result = try child.result()
        #expect(result.status == 69)
        let last = try #require(try lines(result.output).last)
        #expect((last["error"] as? [String: Any])?["code"] as? String == "wrong_peer")
    }

    @Test(arguments: [
        ["--vpcd", "localhost"], ["--vpcd", "localhost:0"], ["--vscard", "socket"], ["--wait", "-1"],
        ["--vpcd", "localhost:1", "--vscard", "/a"],
    ])
    func `an invalid address is rejected`(options: [String]) throws {
        let result = try Program.run(["simulate", "card", "visa-credit"] + options, in: scratch)
        #expect(result.status == 64)
    }

    @Test func `an unknown card is rejected with a suggestion`() throws {
        let result = try Program.run(["simulate", "card", "visa-credti", "--wait", "0"], in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains("did you mean 'visa-credit'?"))
    }
}
