import Foundation
import Testing
import USB

@Suite struct DeviceRulesTests {
    /// A file tree of its own, gone with the test.
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

    @Test func `a rule that names the device and gives it to somebody counts`() throws {
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

    @Test func `a file hides those of its name in later directories`() throws {
        let rule = #"ATTR{idVendor}=="1209", ATTR{idProduct}=="000e", GROUP="x""#
        try tree.write(rule, to: "/usr/lib/udev/rules.d/62-test.rules")
        #expect(DeviceRules(root: tree.root).giveAway(vendorID: 0x1209, productID: 0x000E))
        #expect(try !isGiven(""))
    }
}
