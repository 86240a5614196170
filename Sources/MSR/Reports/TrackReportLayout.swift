internal import CardSecrets
internal import HID
internal import MagneticStripe

/// Where the tracks stand in a reader's report.
struct TrackReportLayout: Hashable, Sendable {
    private struct Place: Hashable {
        let data: Range<Int>
        /// Bytes of the length, low byte first; nil when the data fill their field or end with zeros.
        let length: Range<Int>?
        let status: Int?
    }

    /// The number of the report, its first byte; 0 when reports have none.
    private let reportID: UInt8
    private let places: [StripeTrack: Place]
    private let isEncrypted: Bool

    /// Finds the fields.
    ///
    /// - Throws: ``MSRError/notSupported(_:)`` when neither track 1 nor track 2 has one, or they do not begin and end at
    ///   bytes.
    init(_ descriptor: HIDReportDescriptor, _ usages: MSRUsages) throws(MSRError) {
        var places: [StripeTrack: Place] = [:]
        var reportID: UInt8?
        for (track, usage) in zip(StripeTrack.allCases, usages.tracks) {
            guard let (field, bits) = descriptor.input(usage.data) else { continue }
            guard reportID ?? field.reportID == field.reportID else {
                throw .notSupported("its tracks come in more than one report")
            }
            reportID = field.reportID
            guard let data = Self.bytes(bits) else { throw .notSupported("its tracks do not begin at bytes") }
            places[track] = Place(
                data: data, length: Self.place(usage.length, in: descriptor, field.reportID),
                status: usage.status.flatMap { Self.place($0, in: descriptor, field.reportID)?.lowerBound })
        }
        guard places[.one] != nil || places[.two] != nil else { throw .notSupported("its reports have no tracks") }
        (self.reportID, self.places) = (reportID ?? 0, places)
        isEncrypted = usages.encryptionMarkers.contains { descriptor.input($0) != nil }
    }

    /// The tracks of a swipe; nil for a report that holds none.
    func swipe(_ report: [UInt8]) -> MagneticStripe? {
        guard reportID == 0 || report.first == reportID else { return nil }
        return MagneticStripe(one: reading(.one, report), two: reading(.two, report), three: reading(.three, report))
    }

    private func reading(_ track: StripeTrack, _ report: [UInt8]) -> TrackReading {
        guard let place = places[track] else { return .absent }
        if let status = place.status, status < report.count, report[status] & 0x01 != 0 { return .failed(.notDecoded) }
        let length: Int
        if let field = place.length {
            guard field.upperBound <= report.count else { return .failed(.incomplete) }
            length = report[field].reversed().reduce(0) { $0 << 8 | Int($1) }
        } else {
            length = report.dropFirst(place.data.lowerBound).prefix(place.data.count).prefix { $0 != 0 }.count
        }
        guard length > 0 else { return .absent }
        if isEncrypted { return .failed(.encrypted) }
        guard length <= place.data.count else { return .failed(.tooLong(length)) }
        guard place.data.lowerBound + length <= report.count else { return .failed(.incomplete) }
        let bytes = report[place.data.lowerBound..<(place.data.lowerBound + length)]
        return .read(TrackDelivery(SensitiveBytes(bytes), .ascii))
    }

    private static func place(_ usage: HIDUsage, in descriptor: HIDReportDescriptor, _ reportID: UInt8) -> Range<Int>? {
        guard let (field, bits) = descriptor.input(usage), field.reportID == reportID else { return nil }
        // A length of more than two bytes makes no sense, and could overflow.
        return bytes(bits).flatMap { $0.count <= 2 ? $0 : nil }
    }

    private static func bytes(_ bits: Range<Int>) -> Range<Int>? {
        guard bits.lowerBound.isMultiple(of: 8), bits.upperBound.isMultiple(of: 8), !bits.isEmpty else { return nil }
        return (bits.lowerBound / 8)..<(bits.upperBound / 8)
    }
}
