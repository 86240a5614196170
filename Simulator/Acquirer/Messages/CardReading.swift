import CardSecrets
import EMV
import ISO8583
import MagneticStripe
import Payments
import SmartCard

extension AcquirerRequest {
    /// Reads the card data: the chip data of field 55, or else the track of field 35.
    ///
    /// - Throws: ``AcquirerRefusal``
    func card(_ profile: MessageProfile, _ pins: PINTranslation) async throws(AcquirerRefusal) -> PresentedCard {
        let pin = try await pins.block(of: message, terminal: key.terminal)
        if message.fields.contains(55) { return .chip(try chip(pin, profile)) }
        guard message.fields.contains(35) else { throw .noCardData }
        return .stripe(try stripe(pin, profile))
    }

    private func chip(
        _ pin: EncipheredPINBlock?, _ profile: MessageProfile
    ) throws(AcquirerRefusal) -> OnlineAuthorizationRequest {
        guard let number = try? message.primaryAccountNumber() else { throw .missing([2]) }
        let objects = try chipData()
        guard let expiry = expiry(objects) else { throw .missing([14]) }
        let sequence =
            message.text(of: 23).flatMap { UInt8($0) } ?? objects.first(0x5F34)?.value.first.map(Self.decimal)
        return OnlineAuthorizationRequest(
            pan: number, trackTwo: nil, panSequenceNumber: sequence, expiry: expiry, iccData: objects, pinBlock: pin,
            isContactless: isRead("contactless", profile))
    }

    /// Returns the data objects of field 55, without those that have card data.
    ///
    /// - Throws: ``AcquirerRefusal``
    func chipData() throws(AcquirerRefusal) -> [BERTLV] {
        guard var bytes = message.withBytes(of: 55, { [UInt8]($0) }) else { return [] }
        defer { bytes.wipe() }
        guard let objects = try? BERTLV.parse(bytes) else { throw .wrongValue(55) }
        // Objects share the memory that they were read from, so those that are kept are made anew.
        return objects.filter { ![0x5A, 0x57].contains($0.tag) }.map { BERTLV($0.tag, $0.value) }
    }

    /// A byte of two decimal digits.
    private static func decimal(_ packed: UInt8) -> UInt8 { (packed >> 4) &* 10 &+ packed & 0xF }

    /// The month YYMM of field 14, of track 2, or of tag 5F24, in packed digits.
    private func expiry(_ objects: [BERTLV]) -> [UInt8]? {
        let digits: [UInt8]? =
            message.withBytes(of: 14) { [UInt8]($0) }
            ?? message.withBytes(of: 35) { track in
                track.firstIndex(of: UInt8(ascii: "=")).map { Array(track[($0 + 1)...].prefix(4)) } ?? []
            }
        guard let digits else { return objects.first(0x5F24).map { Array($0.value.prefix(2)) } }
        guard digits.count == 4, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return [digits[0] << 4 | digits[1] & 0xF, digits[2] << 4 | digits[3] & 0xF]
    }

    private func stripe(
        _ pin: EncipheredPINBlock?, _ profile: MessageProfile
    ) throws(AcquirerRefusal) -> MagneticStripeAuthorizationRequest {
        let track: SensitiveBytes? = message.secret(of: 35)?.bytes.duplicate()
        guard let track else { throw .noCardData }
        let card: SwipedCard
        do throws(SwipedCardError) {
            card = try SwipedCard(MagneticStripe(two: .read(TrackDelivery(track, .ascii))))
        } catch {
            throw .wrongTrack
        }
        return MagneticStripeAuthorizationRequest(
            card: card, isFallback: isRead("fallback", profile), terminalCountry: country(profile),
            verification: pin == nil ? .none : .onlinePIN, pinBlock: pin)
    }

    /// Whether field 22 says that the card was read in this way, by the profile's word.
    private func isRead(_ way: String, _ profile: MessageProfile) -> Bool {
        guard let mode = profile.values.entryMode[way], let text = message.text(of: 22) else { return false }
        return switch profile.version {
        case .v1987: text.hasPrefix(mode)
        case .v1993: PointOfServiceDataCode(text)?[.cardInputMode] == mode
        case .v2003: false
        }
    }

    /// The country of field 19, or of the end of field 43; 0 without them.
    private func country(_ profile: MessageProfile) -> UInt16 {
        if let number = message.text(of: 19).flatMap({ UInt16($0) }) { return number }
        guard let place = message.text(of: 43), let width = profile.values.location.last else { return 0 }
        return CountryCode.numeric(place.suffix(width).split(separator: " ").joined()) ?? 0
    }
}
