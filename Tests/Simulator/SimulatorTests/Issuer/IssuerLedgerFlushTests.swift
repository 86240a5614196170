import Determinism
import Foundation
import Money
import Payments
import Synchronization
import Testing

@testable import Simulator

/// A power failure must never leave a till with an answer that the issuer has forgotten.
@Suite struct IssuerLedgerFlushTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("flushed-\(UUID().uuidString)").path

    private func entry(_ key: String) throws -> IssuerLedgerEntry {
        IssuerLedgerEntry(
            .reversal, key: IdempotencyKey(rawValue: key),
            amount: try Money(minorUnits: 1250, currency: Currency(code: "USD")))
    }

    /// What a ledger asks of the disk, with the number of whole lines in the file at that moment.
    private func flush(
        into calls: Log, failing: @escaping @Sendable (String) -> Bool = { _ in false }
    ) -> LedgerFlush {
        let path = path
        let note: @Sendable (String) -> Int32 = { call in
            let lines = (FileManager.default.contents(atPath: path) ?? Data()).count { $0 == 0x0A }
            calls.add("\(call) \(lines)")
            guard failing(call) else { return 0 }
            errno = EIO
            return -1
        }
        return LedgerFlush(file: { _ in note("file") }, folder: { _ in note("folder") })
    }

    private final class Log: Sendable {
        private let stored = Mutex<[String]>([])
        func add(_ line: String) { stored.withLock { $0.append(line) } }
        var lines: [String] { stored.withLock { $0 } }
    }

    @Test func `each entry is written and then flushed, and the first one also with the name of the file`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let calls = Log()
        let file = try IssuerLedgerFile(path: path, flush: flush(into: calls))
        var book = IssuerLedger()
        try file.lock(updating: &book)
        #expect(calls.lines.isEmpty)
        try file.append(try entry("a"))
        try file.append(try entry("b"))
        file.unlock()
        #expect(calls.lines == ["file 1", "folder 1", "file 2"])
        // The first program may have been killed before it flushed the name.
        let next = try IssuerLedgerFile(path: path, flush: flush(into: calls))
        try next.lock(updating: &book)
        try next.append(try entry("c"))
        next.unlock()
        #expect(calls.lines.suffix(2) == ["file 3", "folder 3"])
        #expect(book.entries.map(\.key.rawValue) == ["a", "b"])
    }

    @Test(arguments: ["file", "folder"])
    func `an entry that cannot be flushed was never made, and the next one takes its place`(_ call: String) throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let calls = Log()
        let isFailing = Mutex(true)
        let file = try IssuerLedgerFile(
            path: path,
            flush: flush(into: calls) { name in
                guard name.hasPrefix(call) else { return false }
                return isFailing.withLock { failing in
                    defer { failing = false }
                    return failing
                }
            })
        var book = IssuerLedger()
        try file.lock(updating: &book)
        let doing = call == "file" ? "flush" : "flush the folder"
        #expect(throws: IssuerLedgerError.system(call: doing, path: path, errno: EIO)) {
            try file.append(try entry("a"))
        }
        #expect(FileManager.default.contents(atPath: path)?.isEmpty == true)
        try file.append(try entry("b"))
        file.unlock()
        #expect(try IssuerLedger(path: path).entries.map(\.key.rawValue) == ["b"])
    }

    @Test func `what cannot be flushed is not answered`() async throws {
        // fdatasync(2) refuses the null device, which takes every byte.
        let fixture = try IssuerFixture()
        let issuer = try fixture.issuer(ledgerPath: "/dev/null")
        await #expect(throws: PaymentHostError.outcomeUnknown("issuer ledger /dev/null: flush: Invalid argument")) {
            _ = try await issuer.authorize(try fixture.request("a"))
        }
        #expect(try await issuer.ledger().entries.isEmpty)
    }

    @Test func `a reader passes over a torn line, and leaves it to the next writer`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var book = IssuerLedger()
        let file = try IssuerLedgerFile(path: path)
        try file.lock(updating: &book)
        try file.append(try entry("a"))
        try file.append(try entry("b"))
        file.unlock()
        let whole = try #require(FileManager.default.contents(atPath: path))
        let second = try #require(whole.dropLast().lastIndex(of: 0x0A)) + 1
        // The end is missing; the beginning is, where the disk wrote the end first; and all but the length.
        var headless = whole
        headless.replaceSubrange(second..<second + 8, with: Data(count: 8))
        for torn in [whole.dropLast(3), headless, whole[..<second] + Data(count: 40)] {
            try torn.write(to: URL(fileURLWithPath: path))
            #expect(try IssuerLedger(path: path).entries.map(\.key.rawValue) == ["a"])
            #expect(FileManager.default.contents(atPath: path) == torn)
            var next = IssuerLedger()
            let writer = try IssuerLedgerFile(path: path)
            try writer.lock(updating: &next)
            try writer.append(try entry("c"))
            writer.unlock()
            #expect(try IssuerLedger(path: path).entries.map(\.key.rawValue) == ["a", "c"])
        }
    }
}
