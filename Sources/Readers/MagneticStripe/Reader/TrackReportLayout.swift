import CardSecrets

/// The layout of the tracks in a reader's report.
struct TrackReportLayout: Hashable, Sendable {
    private struct Place: Hashable {
        let data: Range<Int>
        /// The bytes of the length, low byte first; nil when the data fills its field or ends with zeros.
        let length: Range<Int>?
        let status: Int?
    }

    /// The report ID, the first byte; 0 when reports have none.
    private let reportID: UInt8
    private let places: [MagneticTrack: Place]
    private let isEncrypted: Bool

    /// Finds the fields.
    ///
    /// - Throws: ``MagneticStripeReaderError/notSupported(_:)`` when neither track 1 nor track 2 has one, or they do
    ///   not begin and end at bytes.
    init(_ descriptor: HIDReportDescriptor, _ usages: SwipeUsages) throws(MagneticStripeReaderError) {
        var places: [MagneticTrack: Place] = [:]
        var reportID: UInt8?
        for (track, usage) in zip(MagneticTrack.allCases, usages.tracks) {
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

    /// Returns the tracks of a swipe; nil for a report without tracks.
    func swipe(_ report: [UInt8]) -> MagneticStripe? {
        guard reportID == 0 || report.first == reportID else { return nil }
        return MagneticStripe(one: reading(.one, report), two: reading(.two, report), three: reading(.three, report))
    }

    private func reading(_ track: MagneticTrack, _ report: [UInt8]) -> TrackReading {
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

/// The usages of the fields in a swipe report.
public struct SwipeUsages: Hashable, Sendable {
    /// The usages that belong to one track.
    public struct Track: Hashable, Sendable {
        public let data: HIDUsage
        public let length: HIDUsage
        /// Bit 0 of its byte is set when the track could not be decoded; nil when there is no such field.
        public let status: HIDUsage?

        init(_ page: UInt16, data: UInt16, length: UInt16, status: UInt16? = nil) {
            self.data = HIDUsage(page: page, id: data)
            self.length = HIDUsage(page: page, id: length)
            self.status = status.map { HIDUsage(page: page, id: $0) }
        }
    }

    /// The outermost collection of such a reader.
    public let application: HIDUsage
    /// Tracks 1, 2 and 3.
    public let tracks: [Track]
    /// A report with a field of any of these usages has encrypted tracks.
    public let encryptionMarkers: [HIDUsage]

    /// The standard one: usage page 8E of the HID point of sale usage tables.
    public static let pointOfSale = SwipeUsages(
        application: HIDUsage(page: 0x8E, id: 0x01),
        tracks: [
            Track(0x8E, data: 0x21, length: 0x11), Track(0x8E, data: 0x22, length: 0x12),
            Track(0x8E, data: 0x23, length: 0x13),
        ],
        encryptionMarkers: [])

    /// MagTek's own usage page: report of 337 bytes with a status and a length byte and 110 bytes for each track, later
    /// ones with more behind them (MagTek, USB HID Swipe Reader Technical Reference Manual 99875191, "HID usages" and
    /// "Report descriptor"). Encrypting readers also have fields for the encryption status (42) and for the key
    /// serial number (46) besides (MagneSafe V5 Communication Reference Manual 99875475).
    public static let magTek = SwipeUsages(
        application: HIDUsage(page: 0xFF00, id: 0x01),
        tracks: [
            Track(0xFF00, data: 0x30, length: 0x28, status: 0x20),
            Track(0xFF00, data: 0x31, length: 0x29, status: 0x21),
            Track(0xFF00, data: 0x32, length: 0x2A, status: 0x22),
        ],
        encryptionMarkers: [HIDUsage(page: 0xFF00, id: 0x42), HIDUsage(page: 0xFF00, id: 0x46)])
}
