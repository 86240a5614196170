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

    @Test func `an unused device has no owner, also on a machine without USB`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7)
        let reader = try reader()
        #expect(try finder().owners(of: reader).isEmpty)
        #expect(USBDeviceOwnerFinder(root: "/nowhere").owners(of: reader).isEmpty)
    }

    @Test func `a program that has claimed an interface is reported with the fix`() throws {
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

    @Test func `a kernel driver is reported with its interface`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7, drivers: [0: "pn533_usb", 1: "usbhid"])
        let owners = try finder().owners(of: reader(), interface: 0)
        #expect(owners == [.driver(name: "pn533_usb", place: "1-1:1.0")])
        #expect(owners.map(\.description) == ["the kernel driver pn533_usb (interface 1-1:1.0)"])
        #expect(owners.map(\.remedy) == ["echo 1-1:1.0 | sudo tee /sys/bus/usb/drivers/pn533_usb/unbind"])
        #expect(try finder().owners(of: reader()).map(\.name) == ["pn533_usb", "usbhid"])
    }

    @Test func `a program is not reported for an interface held by a kernel driver`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7, drivers: [0: "usblp", 1: "usbfs"])
        try tree.start("lsusb", pid: 5, open: ["/dev/bus/usb/250/007"])
        #expect(try finder().owners(of: reader(), interface: 0).map(\.name) == ["usblp"])
        #expect(try finder().owners(of: reader(), interface: 1).map(\.name) == ["lsusb"])
        #expect(try finder().owners(of: reader()).map(\.name) == ["lsusb", "usblp"])
    }

    @Test func `a program whose files are not visible is suspected only when an interface is claimed`() throws {
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

    @Test func `a visible owner clears the suspected programs`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7, drivers: [0: "usbfs"])
        try tree.start("scdaemon", pid: 900, open: nil)
        try tree.start("pcscd", pid: 812, open: ["/dev/bus/usb/250/007"])
        #expect(try finder().owners(of: reader()).map(\.name) == ["pcscd"])
    }

    @Test func `a name loses its control characters`() throws {
        let tree = try #require(tree)
        try tree.plug("1-1", address: 7, drivers: [0: "usbfs"])
        try tree.start("e\u{1B}[2Jvil", pid: 9, open: ["/dev/bus/usb/250/007"])
        #expect(try finder().owners(of: reader()).map(\.description) == ["e[2Jvil (process 9)"])
    }
}

@Suite struct DeviceRulesTests {
    /// A temporary file tree.
    private final class Tree {
        let root = NSTemporaryDirectory() + "rules-" + UUID().uuidString

        deinit { try? FileManager.default.removeItem(atPath: root) }

        func write(_ text: String, to path: String) throws {
            let place = URL(fileURLWithPath: root + path)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: place)
        }
    }

    private let tree = Tree()

    private func isGiven(_ rules: String) throws -> Bool {
        try tree.write(rules + "\n", to: "/etc/udev/rules.d/62-test.rules")
        return DeviceRules(root: tree.root).giveAway(vendorID: 0x1209, productID: 0x000E)
    }

    @Test func `a rule that names the device and grants access counts`() throws {
        let device = #"SUBSYSTEM=="usb", ATTR{idVendor}=="1209", ATTR{idProduct}=="000e", "#
        for end in [#"GROUP="cardpresent""#, #"MODE:="0666""#, #"TAG+="uaccess""#] {
            #expect(try isGiven(device + end), "\(end)")
        }
        #expect(try isGiven(#"ATTR{idVendor}=="1209", ATTR{idProduct}=="000d|000E", \\#n  MODE="0660""#))
    }

    @Test func `other rules do not`() throws {
        #expect(!DeviceRules(root: tree.root).giveAway(vendorID: 0x1209, productID: 0x000E))
        for rule in [
            #"ATTR{idVendor}=="1209", ATTR{idProduct}=="000d", GROUP="x""#, #"ATTR{idVendor}=="1209", GROUP="x""#,
            #"ATTR{idProduct}=="000e", GROUP="x""#, #"ATTR{idVendor}=="1209", ATTR{idProduct}=="000e", ENV{X}="1""#,
            #"# ATTR{idVendor}=="1209", ATTR{idProduct}=="000e", GROUP="x""#,
            #"ATTR{idVendor}!="1209", ATTR{idProduct}=="000e", GROUP="x""#,
        ] { #expect(try !isGiven(rule), "\(rule)") }
    }

    @Test func `a file overrides those of its name in later directories`() throws {
        let rule = #"ATTR{idVendor}=="1209", ATTR{idProduct}=="000e", GROUP="x""#
        try tree.write(rule, to: "/usr/lib/udev/rules.d/62-test.rules")
        #expect(DeviceRules(root: tree.root).giveAway(vendorID: 0x1209, productID: 0x000E))
        #expect(try !isGiven(""))
    }
}
