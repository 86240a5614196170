import Foundation
import Synchronization
import Testing

@testable import USB

@Suite struct HotplugRegisterTests {
    private func device(_ address: UInt8, product: UInt16 = 1) -> USBDevice {
        USBDevice(
            bus: 1, address: address, descriptor: USBDeviceDescriptor(vendorID: 1, productID: product, release: 1),
            configuration: nil)
    }

    @Test func `existing devices do not arrive, and nothing arrives or leaves twice`() {
        var register = HotplugRegister([device(1)])
        #expect(register.update([device(1)], at: .zero) { _ in true } == [])
        #expect(register.update([device(1), device(2)], at: .zero) { _ in true } == [.arrived(device(2))])
        #expect(register.update([device(2), device(1)], at: .zero) { _ in true } == [])
        #expect(register.update([device(2)], at: .zero) { _ in true } == [.left(device(1))])
        #expect(register.update([device(2)], at: .zero) { _ in true } == [])
    }

    @Test func `a device plugged in again between two checks leaves and arrives, in this order`() {
        var register = HotplugRegister([device(1)])
        #expect(register.update([device(2)], at: .zero) { _ in true } == [.left(device(1)), .arrived(device(2))])
    }

    @Test func `another device at the same address leaves and arrives`() {
        var register = HotplugRegister([device(1)])
        let other = device(1, product: 2)
        #expect(register.update([other], at: .zero) { _ in true } == [.left(device(1)), .arrived(other)])
    }

    @Test func `a string that becomes readable later does not make a new device`() {
        var register = HotplugRegister([device(1)])
        var named = device(1)
        named.product = "Reader"
        #expect(register.update([named], at: .zero) { _ in true } == [])
    }

    @Test func `a device that is not ready is reported when it is, or when it took too long`() {
        var register = HotplugRegister([])
        let both = [device(1), device(2)]
        #expect(register.update(both, at: .seconds(5)) { _ in false } == [])
        #expect(register.isWaiting)
        #expect(register.update(both, at: .milliseconds(5999)) { $0.address == 1 } == [.arrived(device(1))])
        #expect(register.isWaiting)
        #expect(register.update(both, at: .seconds(6)) { _ in false } == [.arrived(device(2))])
        #expect(!register.isWaiting)
        #expect(register.update(both, at: .seconds(7)) { _ in false } == [])
    }

    @Test func `the time limit of a device starts again when it comes back`() {
        var register = HotplugRegister([])
        #expect(register.update([device(1)], at: .zero) { _ in false } == [])
        #expect(register.update([], at: .milliseconds(900)) { _ in false } == [])
        #expect(register.update([device(1)], at: .milliseconds(1100)) { _ in false } == [])
    }

    @Test func `a device that leaves before it was reported is not reported`() {
        var register = HotplugRegister([])
        #expect(register.update([device(1)], at: .zero) { _ in false } == [])
        #expect(register.update([], at: .zero) { _ in false } == [])
        #expect(!register.isWaiting)
    }

    @Test(arguments: [true, false])
    func `a device that gets its configuration late arrives when it has it, once`(wasThereBefore: Bool) throws {
        var register = HotplugRegister(wasThereBefore ? [device(1)] : [])
        if !wasThereBefore {
            #expect(register.update([device(1)], at: .zero) { _ in false } == [])
            #expect(register.update([device(1)], at: .seconds(2)) { _ in false } == [.arrived(device(1))])
        }
        var configured = device(1)
        configured.configuration = USBConfiguration(value: 1, interfaces: [])
        #expect(register.update([configured], at: .seconds(5)) { _ in false } == [])
        #expect(register.update([configured], at: .seconds(5)) { _ in true } == [.arrived(configured)])
        #expect(register.update([configured], at: .seconds(9)) { _ in true } == [])
        // A configuration that cannot be read for a moment is no departure.
        #expect(register.update([device(1)], at: .seconds(9)) { _ in true } == [])
        #expect(register.update([], at: .seconds(9)) { _ in true } == [.left(configured)])
    }
}

/// What wakes the program, on the real kernel.
@Suite(.timeLimit(.minutes(10))) struct DeviceChangeSignalTests {
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

    @Test func `a node that is added, changed, or removed is noticed, also on a new bus`() async throws {
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

    @Test func `a directory that cannot be watched sends no signal`() {
        #expect(DeviceNodeWatch(directory: "").observe {} == nil)
    }

    @Test func `every user can receive the kernel's messages`() throws {
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
