internal import Files

/// What the rules of udev say of devices that are not plugged in (udev(7)).
public struct DeviceRules: Sendable {
    /// Where udevd looks; a file in one hides those of the same name in later ones (udev(7)).
    public static let directories = [
        "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
        "/lib/udev/rules.d",
    ]
    private static let mostBytes = 1 << 20

    private let root: String

    /// - Parameter root: where the system's file tree begins, without a slash at its end.
    public init(root: String = "") { self.root = root }

    /// Whether a rule gives the devices with these numbers to others than root. It has to name both.
    public func giveAway(vendorID: UInt16, productID: UInt16) -> Bool {
        var seen: Set<String> = []
        for directory in Self.directories {
            for name in (try? Files.names(in: root + directory)) ?? [] where name.hasSuffix(".rules") {
                guard seen.insert(name).inserted,
                    let bytes = try? Files.contents("\(root)\(directory)/\(name)", atMost: Self.mostBytes)
                else { continue }
                let rules = String(decoding: bytes, as: UTF8.self).replacing("\\\n", with: " ").split(separator: "\n")
                if rules.contains(where: { Self.gives($0, vendorID, productID) }) { return true }
            }
        }
        return false
    }

    private static func gives(_ rule: Substring, _ vendorID: UInt16, _ productID: UInt16) -> Bool {
        guard rule.first(where: { $0 != " " && $0 != "\t" }) != "#",
            names(vendorID, in: rule, "ATTR{idVendor}"), names(productID, in: rule, "ATTR{idProduct}")
        else { return false }
        return ["GROUP=", "GROUP:=", "MODE=", "MODE:=", "uaccess"].contains { rule.contains($0) }
    }

    /// Whether a rule asks for this number, or for this one among others: `ATTR{idVendor}=="1209|04e6"`.
    private static func names(_ number: UInt16, in rule: Substring, _ key: String) -> Bool {
        guard let start = rule.firstRange(of: key + "==\"") else { return false }
        return rule[start.upperBound...].prefix { $0 != "\"" }.split(separator: "|").contains {
            $0.count == 4 && UInt16($0, radix: 16) == number
        }
    }
}
