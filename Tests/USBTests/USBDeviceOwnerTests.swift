import Foundation
import Testing

@testable import USB

@Suite struct USBDeviceOwnerTests {
    private let tree = try? SystemTree()

    private func finder(ownPID: Int32 = 1) throws -> USBDeviceOwnerFinder {
        USBDeviceOwnerFinder(root: try #require(tree).root, ownPID: ownPID)
    }

    private func reader() throws -> USBDevice {
        let list = KernelDeviceList(directory: try #require(tree).sysfs.directory)
        return try #require(try list.devices().first).device
    }

    @Test func `a device that nobody works with has no owner, nor has one of a machine without USB`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7)
        let reader = try reader()
        #expect(try finder().owners(of: reader).isEmpty)
        #expect(USBDeviceOwnerFinder(root: "/nowhere").owners(of: reader).isEmpty)
    }

    @Test func `a program that has claimed an interface is named, with what to type`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7, drivers: [0: "usbfs"])
        try tree.start("pcscd", pid: 812, open: ["/dev/null", "/dev/bus/usb/250/007"])
        try tree.start("bash", pid: 813, open: ["/dev/bus/usb/250/008"])
        let owners = try finder().owners(of: reader())
        #expect(owners == [.program(name: "pcscd", pid: 812)])
        #expect(owners.map(\.description) == ["pcscd (process 812)"])
        #expect(owners.map(\.remedy) == ["sudo systemctl stop pcscd.socket pcscd.service"])
    }

    @Test func `this process is never its own obstacle`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7, drivers: [0: "usbfs"])
        try tree.start("cardpresent", pid: 40, open: ["/dev/bus/usb/250/007"])
        #expect(try finder(ownPID: 40).owners(of: reader()).isEmpty)
        #expect(try finder().owners(of: reader()).map(\.remedy) == ["kill 40"])
    }

    @Test func `a driver of the kernel is named with the interface that it holds`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7, drivers: [0: "pn533_usb", 1: "usbhid"])
        let owners = try finder().owners(of: reader(), interface: 0)
        #expect(owners == [.driver(name: "pn533_usb", place: "1-1:1.0")])
        #expect(owners.map(\.description) == ["the kernel driver pn533_usb (interface 1-1:1.0)"])
        #expect(owners.map(\.remedy) == ["echo 1-1:1.0 | sudo tee /sys/bus/usb/drivers/pn533_usb/unbind"])
        #expect(try finder().owners(of: reader()).map(\.name) == ["pn533_usb", "usbhid"])
    }

    @Test func `a program is not blamed for an interface that a driver of the kernel holds`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7, drivers: [0: "usblp", 1: "usbfs"])
        try tree.start("lsusb", pid: 5, open: ["/dev/bus/usb/250/007"])
        #expect(try finder().owners(of: reader(), interface: 0).map(\.name) == ["usblp"])
        #expect(try finder().owners(of: reader(), interface: 1).map(\.name) == ["lsusb"])
        #expect(try finder().owners(of: reader()).map(\.name) == ["lsusb", "usblp"])
    }

    @Test func `a program whose files may not be looked at is a suspect only when an interface is claimed`() throws {
        let tree = try #require(tree)
        try tree.start("scdaemon", pid: 900, open: nil)
        try tree.start("bash", pid: 901, open: nil)
        try tree.plug("1-1", address: 7)
        #expect(try finder().owners(of: reader()).isEmpty)
        try tree.bind("usbfs", to: 0, of: "1-1")
        let owners = try finder().owners(of: reader())
        #expect(owners == [.suspect(name: "scdaemon", pid: 900)])
        #expect(owners.map(\.description) == ["probably scdaemon (process 900)"])
        #expect(owners.map(\.remedy) == ["gpgconf --kill scdaemon"])
    }

    @Test func `who was seen to have the device open clears the suspects`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7, drivers: [0: "usbfs"])
        try tree.start("scdaemon", pid: 900, open: nil)
        try tree.start("pcscd", pid: 812, open: ["/dev/bus/usb/250/007"])
        #expect(try finder().owners(of: reader()).map(\.name) == ["pcscd"])
    }

    @Test func `a name that would write to a terminal loses the characters that do not print`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7, drivers: [0: "usbfs"])
        try tree.start("e\u{1B}[2Jvil", pid: 9, open: ["/dev/bus/usb/250/007"])
        #expect(try finder().owners(of: reader()).map(\.description) == ["e[2Jvil (process 9)"])
    }
}
