import CCID
import Doctor
import Foundation
import Glibc
import MagneticStripe
import Testing

/// The rules as udev itself reads and works them off, for devices that exist only here (`udevadm test` under umockdev).
///
/// It needs root: rules and group are installed in a private mount namespace.
@Suite(.enabled(if: geteuid() == 0, "needs root for a mount namespace"))
struct UdevRunTests {
    /// What udev makes of a device.
    private struct Result {
        var output: String
        var rules: [String] { output.split(separator: "\n").map(String.init) }

        /// The effect of one of our lines: `GROUP 998`, from `…/60-cardpresent.rules:75 GROUP 998`.
        var effects: [String] {
            rules.compactMap { line in
                line.range(
                    of: #"6[012]-cardpresent[a-z-]*\.rules:[0-9]+ "#, options: .regularExpression
                )
                .map { String(line[$0.upperBound...]) }
            }
        }

        func property(_ name: String) -> String? {
            rules.last { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
        }

        /// Messages of udev about our files: `…/60-cardpresent.rules:9 Invalid key 'X'`.
        var complaints: [String] {
            rules.filter { $0.hasPrefix("/etc/udev/rules.d/6") }
        }

        var hasAccess: Bool { effects.contains { $0.hasPrefix("GROUP ") } && effects.contains("MODE 0660") }
    }

    private static let controller = "/devices/pci0000:00/0000:00:14.0/usb1"

    /// Works the rules off for the device at `path`, one of those in `devices`.
    private func run(
        _ devices: String, _ path: String, action: String = "add", files: [InstalledFile] = [.rules]
    ) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.path + "/udev-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/root/etc", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(devices.utf8).write(to: URL(fileURLWithPath: folder + "/devices"))
        for file in files {
            try Data(file.contents).write(to: URL(fileURLWithPath: "\(folder)/\(file.name)"))
        }
        try Data(InstalledFile.group.contents).write(to: URL(fileURLWithPath: folder + "/group.conf"))
        let script = """
            set -e
            cp /etc/group /etc/passwd '\(folder)/root/etc/'
            systemd-sysusers --root='\(folder)/root' '\(folder)/group.conf'
            mount --bind '\(folder)/root/etc/group' /etc/group
            mount -t tmpfs tmpfs /run
            mkdir -p /etc/udev/rules.d
            mount -t tmpfs tmpfs /etc/udev/rules.d
            cp '\(folder)'/*.rules /etc/udev/rules.d/
            mount -t tmpfs tmpfs /dev
            mknod /dev/null c 1 3
            mknod /dev/urandom c 1 9
            mkdir /dev/char /dev/pts
            mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts
            ln -s pts/ptmx /dev/ptmx
            getent group cardpresent
            umockdev-run --device '\(folder)/devices' -- udevadm test --action=\(action) '/sys\(path)' 2>&1
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["--mount", "/bin/bash", "-c", script]
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(text)")
        let result = Result(output: text)
        #expect(result.complaints == [], "udev does not understand the rules")
        #expect(text.contains("/etc/udev/rules.d/60-cardpresent.rules"), "udev did not read the rules")
        return result
    }

    /// A device on the bus, as umockdev describes it.
    private func device(_ name: String, _ model: USBModel) -> String {
        func hexadecimal(_ number: UInt16) -> String { String(format: "%04x", Int(number)) }
        return """
            P: \(Self.controller)/\(name)
            N: bus/usb/001/002
            E: DEVNAME=/dev/bus/usb/001/002
            E: DEVTYPE=usb_device
            E: MAJOR=189
            E: MINOR=1
            E: SUBSYSTEM=usb
            E: BUSNUM=001
            E: DEVNUM=002
            A: busnum=1\\n
            A: devnum=2\\n
            A: idVendor=\(hexadecimal(model.vendor))\\n
            A: idProduct=\(hexadecimal(model.product))\\n
            A: bDeviceClass=00\\n
            A: power/control=auto\\n
            A: power/persist=1\\n
            H: descriptors=\(model.descriptors.map { String(format: "%02X", $0) }.joined())

            """
    }

    /// The same with an HID interface and its raw node.
    private func rawDevice(_ model: USBModel, reportDescriptor: String) -> (devices: String, path: String) {
        let interface = "\(Self.controller)/1-2/1-2:1.0"
        let hid = "\(interface)/0003:1234:0002.0001"
        let text =
            device("1-2", model) + "\n" + """
                P: \(interface)
                E: DEVTYPE=usb_interface
                E: SUBSYSTEM=usb
                A: bInterfaceClass=03\\n

                P: \(hid)
                E: SUBSYSTEM=hid
                E: HID_ID=0003:00001234:00000002
                H: report_descriptor=\(reportDescriptor)

                P: \(hid)/hidraw/hidraw0
                N: hidraw0
                E: DEVNAME=/dev/hidraw0
                E: MAJOR=245
                E: MINOR=0
                E: SUBSYSTEM=hidraw

                """
        return (text, "\(hid)/hidraw/hidraw0")
    }

    private let keyboard = USBModel(vendor: 0x1234, product: 2, name: "Keyboard", classes: [3])

    @Test func `a smart card reader is accessible to the group and the user at the machine`() throws {
        let result = try run(device("1-1", FakeSystem.reader), "\(Self.controller)/1-1")
        // The line of the created group: cardpresent:x:998:
        let line = try #require(result.rules.first { $0.hasPrefix("cardpresent:") })
        let number = try #require(line.split(separator: ":").dropFirst(2).first)
        #expect(Int(number).map { $0 < 1000 } == true, "not a system group")
        #expect(result.effects.contains("GROUP \(number)"))
        #expect(result.effects.contains("MODE 0660"))
        #expect(result.property("TAGS")?.contains(":uaccess:") == true)
        #expect(result.property("ID_SMARTCARD_READER") == "1")
        #expect(result.property("PCSCLITE_IGNORE") == nil)
        #expect(
            result.output.contains("73-seat-late.rules:16 RUN 'uaccess'") || result.output.contains("run: 'uaccess'"))
        #expect(result.effects.contains { $0.hasPrefix("ATTR") && $0.contains("power/persist") && $0.hasSuffix("'0'") })
        #expect(!result.effects.contains { $0.contains("power/control") })
    }

    @Test(arguments: ["change", "bind", "online"]) func `later events do not change the access`(action: String) throws {
        #expect(try run(device("1-1", FakeSystem.reader), "\(Self.controller)/1-1", action: action).hasAccess)
    }

    @Test func `a removed reader is ignored`() throws {
        #expect(
            try run(device("1-1", FakeSystem.reader), "\(Self.controller)/1-1", action: "remove").effects.isEmpty)
    }

    @Test func `a reader inside a keyboard is found`() throws {
        let model = USBModel(vendor: 0x413C, product: 0x2101, name: "Keyboard", classes: [3, 0x0B])
        #expect(try run(device("1-1", model), "\(Self.controller)/1-1").hasAccess)
    }

    @Test func `keyboards, printers, and security keys are not affected`() throws {
        for classes: [UInt8] in [[3], [7], [3, 3], [8], [0xFE], [0xFF]] {
            let model = USBModel(vendor: 0x1234, product: 2, name: "Other", classes: classes)
            #expect(try run(device("1-1", model), "\(Self.controller)/1-1").effects.isEmpty, "\(classes)")
        }
    }

    /// The readers of a row of the driver's quirk table, by vendor and product.
    private static func readers(with kind: ReaderQuirk.Kind) -> [(UInt16, UInt16)] {
        ReaderQuirkTable.embedded.rules.filter { rule in rule.quirks.contains { $0.kind == kind } }
            .map { ($0.vendorID, $0.productID) }
    }

    @Test(arguments: readers(with: .noAutosuspend))
    func `readers that do not wake up are kept awake`(vendor: UInt16, product: UInt16) throws {
        let model = USBModel(vendor: vendor, product: product, name: "Sleeper", classes: [0x0B])
        let result = try run(device("1-1", model), "\(Self.controller)/1-1")
        #expect(result.hasAccess)
        #expect(result.effects.contains { $0.contains("power/control") && $0.hasSuffix("'on'") })
    }

    @Test
    func `devices in update mode are not affected, except with the rules of the documentation`()
        throws
    {
        var model = USBModel(vendor: 0x1209, product: 0x000E, name: "Reader", classes: [0xFE])
        model.subclass = (1, 2)
        #expect(try run(device("1-1", model), "\(Self.controller)/1-1").effects.isEmpty)
        let documented = InstalledFile(
            path: "/etc/udev/rules.d/62-cardpresent-firmware.rules", contents: Array(try Self.documentedRules().utf8))
        let given = try run(device("1-1", model), "\(Self.controller)/1-1", files: [.rules, documented])
        #expect(given.hasAccess)
        #expect(given.property("TAGS")?.contains(":uaccess:") == true)
        model.product = 0x000F
        let other = try run(device("1-1", model), "\(Self.controller)/1-1", files: [.rules, documented])
        #expect(other.effects.isEmpty)
    }

    /// The block of udev rules in docs/readers.md.
    private static func documentedRules() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../docs/readers.md")
        let text = try String(contentsOf: file.standardized, encoding: .utf8)
        let parts = text.components(separatedBy: "```udev\n")
        try #require(parts.count == 2)
        return try #require(parts[1].components(separatedBy: "```").first)
    }

    @Test(arguments: readers(with: .vendorSpecificClass))
    func `readers with unspecific descriptors are identified by their IDs`(vendor: UInt16, product: UInt16) throws {
        let model = USBModel(vendor: vendor, product: product, name: "Reader", classes: [0xFF])
        let result = try run(device("1-1", model), "\(Self.controller)/1-1", files: [.rules, .exclusiveRules])
        #expect(result.hasAccess)
        #expect(result.property("ID_SMARTCARD_READER") == "1")
        #expect(result.property("PCSCLITE_IGNORE") == "1")
    }

    /// Those that the driver knows, and some that only the rules do.
    private static let stripeReaders =
        MagneticStripeReaderModel.known.map { ($0.vendorID, $0.productID) }
        + [(0x0801, 0x0011), (0x0ACD, 0x2030), (0x0404, 0x0328), (0x0AA7, 0x0402)]

    @Test(arguments: stripeReaders)
    func `magnetic stripe readers are identified by their IDs`(vendor: UInt16, product: UInt16) throws {
        let model = USBModel(vendor: vendor, product: product, name: "MSR", classes: [3])
        let node = try run(device("1-2", model), "\(Self.controller)/1-2")
        #expect(node.hasAccess)
        #expect(node.property("ID_SMARTCARD_READER") == nil)
        let raw = rawDevice(model, reportDescriptor: "0600FF0901A101C0")
        #expect(try run(raw.devices, raw.path).hasAccess)
    }

    @Test func `a magnetic stripe reader is identified by its usage page, and no keyboard is`() throws {
        let reader = rawDevice(keyboard, reportDescriptor: "058E0901A1011500C0")
        let result = try run(reader.devices, reader.path)
        #expect(result.hasAccess)
        #expect(result.property("TAGS")?.contains(":uaccess:") == true)
        for descriptor in ["05010906A1018E01C0", "0501058E0901A101C0", "8E05", ""] {
            let other = rawDevice(keyboard, reportDescriptor: descriptor)
            #expect(try run(other.devices, other.path).effects.isEmpty, "\(descriptor)")
        }
    }

    @Test func `the rules for a machine without pcscd mark the readers and no other device`() throws {
        let both: [InstalledFile] = [.rules, .exclusiveRules]
        let result = try run(device("1-1", FakeSystem.reader), "\(Self.controller)/1-1", files: both)
        #expect(result.hasAccess)
        #expect(result.property("PCSCLITE_IGNORE") == "1")
        #expect(try run(device("1-1", keyboard), "\(Self.controller)/1-1", files: both).effects.isEmpty)
        // The raw node of a magnetic stripe reader is no business of pcscd's.
        let raw = rawDevice(keyboard, reportDescriptor: "058E0901A1011500C0")
        #expect(try run(raw.devices, raw.path, files: both).property("PCSCLITE_IGNORE") == nil)
    }

    @Test func `with libccid's rules a reader belongs to pcscd, unless the exclusive rules are installed`() throws {
        let other = InstalledFile(
            path: "/etc/udev/rules.d/92_pcscd_ccid.rules",
            contents: Array(#"ENV{ID_USB_INTERFACES}=="*:0b0000:*", GROUP="daemon""#.utf8))
        let taken = try run(device("1-1", FakeSystem.reader), "\(Self.controller)/1-1", files: [.rules, other])
        #expect(taken.output.contains("92_pcscd_ccid.rules:1 GROUP"))
        let kept = try run(
            device("1-1", FakeSystem.reader), "\(Self.controller)/1-1", files: [.rules, .exclusiveRules, other])
        #expect(!kept.output.contains("92_pcscd_ccid.rules:1 GROUP"))
    }
}
