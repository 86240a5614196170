internal import MSR
internal import SettingsFile

extension MagneticStripePolicy {
    /// The section `terminal.magstripe`; without one, what ``init(isEnabled:allowsFallback:chipFailures:path:readers:)``
    /// gives.
    init(_ node: SettingsNode?) throws(SettingsError) {
        self.init()
        guard let node else { return }
        try node.mapping(allowedKeys: ["enabled", "fallback", "chipFailures", "path", "keyboards"])
        if let node = try node.optional("enabled") { isEnabled = try node.bool() }
        if let node = try node.optional("fallback") { allowsFallback = try node.bool() }
        if let node = try node.optional("chipFailures") { chipFailures = try node.int(in: 1...9) }
        if let node = try node.optional("path") { path = try node.choice(MSRPath.self) }
        for element in try node.optional("keyboards")?.list(count: 0...20) ?? [] {
            readers.append(try Self.keyboard(element))
        }
    }

    /// Vendor and product as `lsusb` writes them: `0801:0001`.
    private static func keyboard(_ node: SettingsNode) throws(SettingsError) -> MSRModel {
        let parts = try node.text().split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 4 }), let vendor = UInt16(parts[0], radix: 16),
            let product = UInt16(parts[1], radix: 16)
        else { throw node.error("not a USB device", fix: "write vendor and product as lsusb does: 0801:0001") }
        return MSRModel(vendorID: vendor, productID: product, format: .keyboard)
    }

    /// The keyboards beside those that are known.
    var keyboards: [String] {
        readers.dropFirst(MSRModel.known.count).map { Self.text($0.vendorID) + ":" + Self.text($0.productID) }
    }

    private static func text(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
