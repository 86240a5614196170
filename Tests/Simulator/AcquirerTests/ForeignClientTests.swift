import CardSecrets
import Connections
import Determinism
import Foundation
import ISO8583
import Simulator
import Testing

@testable import Acquirer

/// A client of others: `Scripts/python/iso8583_client.py`, in a process of its own, with pyiso8583. `Scripts/test`
/// installs it, and names its interpreter in `CARDPRESENT_ISO8583`.
@Suite("A client written with pyiso8583")
struct ForeignClientTests {
    private static let python = ProcessInfo.processInfo.environment["CARDPRESENT_ISO8583"]

    @Test(.enabled(if: python != nil), .timeLimit(.minutes(10)))
    func `signs on, sells, reverses, and repeats the reversal`() async throws {
        let time = SystemTimeSource()
        let keys = try TestKeys.embedded()
        let acquirer = try SimulatedAcquirer(
            profile: try #require(MessageProfile.shipped("iso87-ascii")), keys: keys, time: time,
            random: SeededRandomSource(seed: 1))
        let server = AcquirerServer(acquirer, faults: AcquirerFaultPlan(random: SeededRandomSource(seed: 1)))
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: Deadline(after: .seconds(10), on: time), time: time)
        let serving = Task { try? await listener.serve { await server.serve($0) } }
        var track = try TestCards(keys: keys).track("stripe-only").withUnsafeBytes { [UInt8]($0) }
        defer { track.wipe() }
        let answers: [[String: String]] = try await Self.run(
            port: listener.address.port, input: Data(track + [0x0A]), as: [[String: String]].self)
        listener.close()
        serving.cancel()
        await serving.value

        #expect(answers.map { $0["t"] } == ["0810", "0210", "0210", "0430", "0430"])
        #expect(answers.map { $0["39"] } == ["00", "00", "58", "00", "00"])
        #expect(answers[0]["70"] == "001")
        #expect(answers[1]["38"]?.count == 6 && answers[1]["37"]?.count == 12)
        #expect(answers[3] == answers[4])
        let records = await acquirer.records
        #expect(records.map(\.kind) == [.sale, .sale, .reversal])
        #expect(records.map(\.state) == [.reversed, .declined, .approved])
        #expect(records[0].lastFour == "7014" && records[0].terminal == "PYTHON01")
    }

    @Test(.enabled(if: python != nil), .timeLimit(.minutes(10)))
    func `psec computes the MACs of our answers, reads our keys, and makes PINs and MACs that we take`() async throws {
        let time = SystemTimeSource()
        let keys = try TestKeys.embedded()
        let acquirer = try SimulatedAcquirer(
            profile: try SealedHost.example(), hostKeys: try SealedHost.keys("TMK", SealedHost.master), keys: keys,
            time: time, random: SeededRandomSource(seed: 1))
        let server = AcquirerServer(acquirer, faults: AcquirerFaultPlan(random: SeededRandomSource(seed: 1)))
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: Deadline(after: .seconds(10), on: time), time: time)
        let serving = Task { try? await listener.serve { await server.serve($0) } }
        var track = try TestCards(keys: keys).track("stripe-pin").withUnsafeBytes { [UInt8]($0) }
        defer { track.wipe() }
        let answers = try await Self.run(
            "iso8583_mac_client.py", port: listener.address.port, SealedHost.master, "1234",
            input: Data(track + [0x0A]), as: [SealedAnswer].self)
        listener.close()
        serving.cancel()
        await serving.value

        #expect(answers.map(\.type) == ["0810", "0810", "0210", "0210", "0430", "0430"])
        #expect(answers.map(\.code) == ["00", "00", "00", "98", "00", "00"])
        #expect(answers.map(\.mac) == [nil, nil, true, true, true, true])
        let records = await acquirer.records
        #expect(records.map(\.kind) == [.sale, .reversal])
        #expect(records.map(\.state) == [.reversed, .approved])
    }

    private struct SealedAnswer: Decodable {
        var type: String
        var code: String
        var mac: Bool?

        enum CodingKeys: String, CodingKey {
            case type = "t"
            case code = "39"
            case mac
        }
    }

    @concurrent private static func run<Answers: Decodable & Sendable>(
        _ script: String = "iso8583_client.py", port: UInt16, _ more: String..., input: Data, as type: Answers.Type
    ) async throws -> Answers {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let process = Process()
        process.executableURL = URL(filePath: try #require(python))
        process.arguments = [root.appending(path: "Scripts/python/\(script)").path, "\(port)"] + more
        let (stdin, stdout) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (stdin, stdout)
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        // On a thread that may wait: those of tasks serve the client.
        let output = await withCheckedContinuation { (result: CheckedContinuation<Data, Never>) in
            DispatchQueue.global().async { result.resume(returning: stdout.fileHandleForReading.readDataToEndOfFile()) }
        }
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try JSONDecoder().decode(type, from: output)
    }
}
