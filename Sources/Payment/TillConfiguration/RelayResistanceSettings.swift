import ContactlessKernel8
import Settings

/// The section `terminal.relayResistance`: the limits of kernel 8 for the times of a card's answers (tags 9F8213 to
/// 9F8218), in units of 100 µs.
enum RelayResistanceSettings {
    private static let keys = [
        "enabled", "minimumGrace", "maximumGrace", "expectedCommandTime", "expectedAnswerTime", "accuracyThreshold",
        "mismatchThreshold",
    ]

    /// Returns the limits; nil when the file has no such section, or it is switched off. Limits that are left out are
    /// ``ContactlessKernel8/RelayResistanceRules/standard``.
    static func rules(_ node: SettingsNode?) throws(SettingsError) -> RelayResistanceRules? {
        guard let node else { return nil }
        try node.mapping(allowedKeys: keys)
        var rules = RelayResistanceRules.standard
        func read(_ key: String, _ value: inout UInt16) throws(SettingsError) {
            if let node = try node.optional(key) { value = UInt16(try node.int(in: 0...0xFFFF)) }
        }
        try read("minimumGrace", &rules.minimumGrace)
        try read("maximumGrace", &rules.maximumGrace)
        try read("expectedCommandTime", &rules.expectedCommandTime)
        try read("expectedAnswerTime", &rules.expectedAnswerTime)
        try read("accuracyThreshold", &rules.accuracyThreshold)
        if let node = try node.optional("mismatchThreshold") {
            rules.mismatchThreshold = UInt8(try node.int(in: 0...100))
        }
        return try node.optional("enabled")?.bool() ?? true ? rules : nil
    }

    /// Returns the section of the rules.
    static func yaml(_ rules: RelayResistanceRules?) -> [String] {
        guard let rules else { return ["  relayResistance: { enabled: false }"] }
        return [
            "  relayResistance:  # units of 100 µs",
            "    minimumGrace: \(rules.minimumGrace)",
            "    maximumGrace: \(rules.maximumGrace)",
            "    expectedCommandTime: \(rules.expectedCommandTime)",
            "    expectedAnswerTime: \(rules.expectedAnswerTime)",
            "    accuracyThreshold: \(rules.accuracyThreshold)",
            "    mismatchThreshold: \(rules.mismatchThreshold)  # percent",
        ]
    }
}
