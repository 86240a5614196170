internal import EMV
internal import SettingsFile

/// The names of a data element's bits in a settings file. Bits without a name are refused: they are reserved,
/// or they announce what the kernel does not do.
struct FlagNames<Flags: ByteFlags>: Sendable {
    let names: KeyValuePairs<String, Flags>

    /// Reads a list of names, or the whole data element as hexadecimal digits.
    func read(_ node: SettingsNode) throws(SettingsError) -> Flags {
        var flags: Flags = []
        guard node.kind == .text else {
            for word in try node.list(count: 1...names.count) { flags.formUnion(try word.choice(of: names)) }
            return flags
        }
        let bytes = try node.hex(length: Flags.byteCount)
        flags = Flags(bytes: bytes) ?? []
        let unknown = flags.subtracting(names.reduce(into: []) { $0.formUnion($1.value) })
        guard unknown.isEmpty else {
            throw node.error(
                "the bits \(unknown) are reserved or announce what this terminal does not do", fix: "leave them out")
        }
        return flags
    }

    /// The names of the bits that are set.
    func names(of flags: Flags) -> [String] { names.filter { flags.isSuperset(of: $0.value) }.map(\.key) }
}

/// The names of the terminal's capabilities.
enum CapabilityNames {
    /// Tag 9F33. Card capture, XDA and biometrics have no names: the kernel does none of these, and neither card nor
    /// issuer must be told otherwise.
    static let terminal = FlagNames<TerminalCapabilities>(names: [
        "manualKeyEntry": .manualKeyEntry, "magneticStripe": .magneticStripe, "contactChip": .contactChip,
        "plaintextOfflinePIN": .plaintextOfflinePIN, "encipheredOnlinePIN": .encipheredOnlinePIN,
        "signature": .signature, "encipheredOfflinePIN": .encipheredOfflinePIN, "noCVM": .noCVMRequired,
        "sda": .sda, "dda": .dda, "cda": .cda,
    ])

    /// Tag 9F40. The code tables are those in which the kernel reads a card's names.
    static let additional = FlagNames<AdditionalTerminalCapabilities>(names: [
        "cash": .cash, "goods": .goods, "services": .services, "cashback": .cashback, "inquiry": .inquiry,
        "transfer": .transfer, "payment": .payment, "administrative": .administrative, "cashDeposit": .cashDeposit,
        "numericKeys": .numericKeys, "alphabeticKeys": .alphabeticKeys, "commandKeys": .commandKeys,
        "functionKeys": .functionKeys, "attendantPrinter": .attendantPrinter,
        "cardholderPrinter": .cardholderPrinter, "attendantDisplay": .attendantDisplay,
        "cardholderDisplay": .cardholderDisplay, "codeTable1": .codeTable(1), "codeTable5": .codeTable(5),
        "codeTable9": .codeTable(9),
    ])
}
