import Determinism
import Foundation
import Synchronization
import Testing

@testable import PCSC

@Suite("Other users of PC/SC") struct ClientFinderTests {
    private static let library =
        "7f0000000000-7f0000001000 r-xp 00000000 08:01 42  /usr/lib/x86_64-linux-gnu/libpcsclite.so.1.0.0\n"
    private static let other = "7f0000000000-7f0000001000 r-xp 00000000 08:01 42  /usr/lib/x86_64-linux-gnu/libc.so.6\n"

    @Test func `every other program that has loaded libpcsclite is listed`() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("pcsc-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        func process(_ number: String, _ name: String?, _ maps: String?) throws {
            let folder = root.appendingPathComponent("proc/\(number)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if let name { try Data((name + "\n").utf8).write(to: folder.appendingPathComponent("comm")) }
            if let maps { try Data(maps.utf8).write(to: folder.appendingPathComponent("maps")) }
        }
        try process("1200", "scdaemon", Self.other + Self.library)
        try process("900", nil, Self.library)
        try process("7", "till", Self.library)
        try process("800", "bash", Self.other)
        try process("801", "opensc", "7f00 /home/me/libpcsclite.so.notes/file\n")
        // Of another user.
        try process("802", "pcscd", nil)
        try process("self", "x", Self.library)
        let finder = PCSCClientFinder(root: root.path, ownPID: 7)
        #expect(
            finder.clients() == [PCSCClient(name: "a program", pid: 900), PCSCClient(name: "scdaemon", pid: 1200)])
        #expect(PCSCClientFinder(root: "/nowhere", ownPID: 7).clients() == [])
    }

    @Test func `each has the command that makes it release the card`() {
        #expect(PCSCClient(name: "scdaemon", pid: 5).remedy == "gpgconf --kill scdaemon")
        #expect(PCSCClient(name: "firefox-esr", pid: 5).remedy == "kill 5")
    }
}

@Suite("Errors of PC/SC") struct ErrorTests {
    @Test func `codes have the names of PC/SC, and unknown ones their number`() {
        #expect(PCSCErrorCode.sharingViolation.description == "SCARD_E_SHARING_VIOLATION")
        #expect(PCSCErrorCode(rawValue: 0x8010_0099).description == "0x80100099")
        // pcsclite returns the same code with and without its sign.
        #expect(PCSCErrorCode(returned: 0x8010_000B) == .sharingViolation)
        #expect(PCSCErrorCode(returned: Int(Int32(bitPattern: 0x8010_000B))) == .sharingViolation)
        #expect(PCSCErrorCode(returned: 0) == nil)
    }

    @Test(arguments: 0...0x80 as ClosedRange<UInt32>)
    func `every error text contains the code`(code: UInt32) {
        let code = PCSCErrorCode(rawValue: 0x8010_0000 + code)
        #expect(PCSCError.failed(.transmit, code).description.contains("(\(code))"))
    }
}

extension WithFakeDaemon {
    @Suite("Arriving and leaving readers") struct ReaderListWatchTests {
        @Test func `every change of the list is reported, and without pcscd there are no readers`() async throws {
            let time = ManualTime()
            let lists: [FakeDaemon.Reply] = [
                .failed(.noReadersAvailable), .init(bytes: Array("A\0\0".utf8)), .init(bytes: Array("A\0B\0\0".utf8)),
                .failed(.communicationError), .init(bytes: Array("B\0\0".utf8)),
            ]
            let step = Mutex(0)
            let waits = Mutex<[[String]]>([])
            let daemon = FakeDaemon {
                $0.readers = {
                    step.withLock { step in
                        defer { step += 1 }
                        return lists[min(step, lists.count - 1)]
                    }
                }
                $0.change = { known, milliseconds in
                    if milliseconds > 0 { waits.withLock { $0.append(known.map(\.reader)) } }
                    // The reader that is gone, when there is one.
                    return known.contains { $0.reader == "A" } && milliseconds == 0 && step.withLock({ $0 }) > 2
                        ? (.failed(.unknownReader), known) : (.init(), known)
                }
            }
            let (told, telling) = AsyncStream.makeStream(of: [String].self)
            let watch = Task {
                await PCSCReaderListWatch(library: daemon.library, time: time).run { telling.yield($0) }
                telling.finish()
            }
            let reading = Task { () -> [[String]] in
                var all: [[String]] = []
                for await list in told where all.last != list {
                    all.append(list)
                    if all.count == 5 { break }
                }
                return all
            }
            #expect(await time.pass(until: reading) == [[], ["A"], ["A", "B"], [], ["B"]])
            watch.cancel()
            await time.pass(until: watch)
            #expect(waits.withLock { $0.first } == ["\\\\?PnP?\\Notification"])
            #expect(daemon.calls.last == "release")
        }
    }
}
