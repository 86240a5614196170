import Foundation
import Testing

@testable import PCSC

@Suite("Who else uses PC/SC") struct ClientFinderTests {
    private static let library =
        "7f0000000000-7f0000001000 r-xp 00000000 08:01 42  /usr/lib/x86_64-linux-gnu/libpcsclite.so.1.0.0\n"
    private static let other = "7f0000000000-7f0000001000 r-xp 00000000 08:01 42  /usr/lib/x86_64-linux-gnu/libc.so.6\n"

    @Test func `every program but this one that has libpcsclite in its memory`() throws {
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

    @Test func `how each is made to let the card go`() {
        #expect(PCSCClient(name: "scdaemon", pid: 5).remedy == "gpgconf --kill scdaemon")
        #expect(PCSCClient(name: "firefox-esr", pid: 5).remedy == "kill 5")
    }
}
