/// What a reader's driver can do beyond commands to the card (PC/SC part 10 §2.2), by the number of the feature.
public enum PCSCFeature: UInt8, Hashable, Sendable {
    /// FEATURE_VERIFY_PIN_DIRECT: the reader takes a PIN and gives it to the card.
    case verifyPIN = 0x06
    /// FEATURE_IFD_PIN_PROPERTIES: what the reader's display is like, and others.
    case pinProperties = 0x0A
    /// FEATURE_GET_TLV_PROPERTIES: properties of the reader, each with a tag.
    case properties = 0x12

    /// CM_IOCTL_GET_FEATURE_REQUEST, as pcsclite has it (SCARD_CTL_CODE of reader.h).
    static let request: UInt32 = 0x4200_0000 + 3400

    /// Reads the answer to ``request``: for each feature its number, a length of 4, and the control code, the highest
    /// byte first. Features of no name here are passed over, and so is what does not have this shape, with all behind it.
    ///
    /// - Returns: the control codes.
    static func codes(in answer: [UInt8]) -> [PCSCFeature: UInt32] {
        var codes: [PCSCFeature: UInt32] = [:]
        var rest = answer[...]
        while rest.count >= 6 {
            let entry = Array(rest.prefix(6))
            rest = rest.dropFirst(6)
            guard entry[1] == 4 else { break }
            guard let feature = PCSCFeature(rawValue: entry[0]) else { continue }
            codes[feature] = entry[2...].reduce(0) { $0 << 8 | UInt32($1) }
        }
        return codes
    }
}

extension PCSCCard {
    /// The control codes of the features that the reader's driver names.
    ///
    /// - Throws: ``PCSCError``; a driver without any may not know the question.
    public func features() async throws(PCSCError) -> [PCSCFeature: UInt32] {
        PCSCFeature.codes(in: try await control(PCSCFeature.request))
    }
}
