import Foundation
import Synchronization
import Testing

@testable import USB

/// What wakes the program, on the real kernel.
@Suite(.timeLimit(.minutes(1))) struct DeviceChangeSignalTests {
    private static func directory() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/nodes-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Makes changes until one of them is noticed.
    private static func expectNotice(_ notices: borrowing Atomic<Int>, of change: () throws -> Void) async throws {
        let before = notices.load(ordering: .acquiring)
        for _ in 0..<100 {
            try change()
            for _ in 0..<100 {
                if notices.load(ordering: .acquiring) > before { return }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        Issue.record("nothing was noticed")
    }

    @Test func `a node that comes, is given away or goes is noticed, on a bus that came meanwhile too`() async throws {
        let parent = try Self.directory()
        defer { try? FileManager.default.removeItem(atPath: parent) }
        // Neither bus nor usb is there yet.
        let nodes = "\(parent)/bus/usb"
        let notices = Notices()
        let watch = try #require(
            DeviceNodeWatch(directory: nodes).observe { notices.count.add(1, ordering: .releasing) })
        defer { watch.cancel() }
        try await Self.expectNotice(notices.count) {
            try FileManager.default.createDirectory(atPath: "\(nodes)/001", withIntermediateDirectories: true)
        }
        var last = 0
        // A node that comes before the new directory is watched is found by the looks that follow the directory's.
        try await Self.expectNotice(notices.count) {
            last += 1
            #expect(FileManager.default.createFile(atPath: "\(nodes)/001/\(last)", contents: nil))
        }
        try await Self.expectNotice(notices.count) { #expect(chmod("\(nodes)/001/\(last)", 0o600) == 0) }
        try await Self.expectNotice(notices.count) { unlink("\(nodes)/001/\(last)") }
    }

    @Test func `a directory that nobody may watch is no signal`() {
        #expect(DeviceNodeWatch(directory: "").observe {} == nil)
    }

    @Test func `the kernel lets anybody listen to its messages`() throws {
        let watch = try #require(KernelEventSocket().observe {})
        watch.cancel()
        watch.cancel()
    }

    @Test(
        arguments: [
            ("add@/devices/pci0000:00/usb1/1-1\0ACTION=add\0DEVPATH=/devices/x\0SUBSYSTEM=usb\0SEQNUM=7\0", true),
            ("SUBSYSTEM=usb", true), ("libudev\0\u{FE}\0\0SUBSYSTEM=usb\0", true),
            ("add@/devices/x\0SUBSYSTEM=usbmisc\0", false), ("add@/devices/SUBSYSTEM=usb\0", false), ("", false),
            ("\0\0\0", false), ("change@/devices/x\0SUBSYSTEM=block\0", false),
        ])
    func `only messages about USB count`(message: String, counts: Bool) {
        #expect(KernelEventSocket.isUSB(Array(message.utf8)) == counts)
    }
}

private final class Notices: Sendable {
    let count = Atomic(0)
}
