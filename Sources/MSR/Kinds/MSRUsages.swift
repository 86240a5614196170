public import HID

/// By which usages the fields of a swipe's report are known.
public struct MSRUsages: Hashable, Sendable {
    /// The usages that belong to one track.
    public struct Track: Hashable, Sendable {
        public let data: HIDUsage
        public let length: HIDUsage
        /// Bit 0 of its byte is set when the track could not be decoded; nil when the kind has no such field.
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
    /// A report that has a field of any of these carries enciphered tracks.
    public let encryptionMarkers: [HIDUsage]

    /// The standard one: usage page 8E of the HID point of sale usage tables.
    public static let pointOfSale = MSRUsages(
        application: HIDUsage(page: 0x8E, id: 0x01),
        tracks: [
            Track(0x8E, data: 0x21, length: 0x11), Track(0x8E, data: 0x22, length: 0x12),
            Track(0x8E, data: 0x23, length: 0x13),
        ],
        encryptionMarkers: [])

    /// MagTek's own usage page: report of 337 bytes with a status and a length byte and 110 bytes for each track, later
    /// ones with more behind them (MagTek, USB HID Swipe Reader Technical Reference Manual 99875191, "HID usages" and
    /// "Report descriptor"). Readers that encipher have fields for the reader's encryption status (42) and for the key
    /// serial number (46) besides (MagneSafe V5 Communication Reference Manual 99875475).
    public static let magTek = MSRUsages(
        application: HIDUsage(page: 0xFF00, id: 0x01),
        tracks: [
            Track(0xFF00, data: 0x30, length: 0x28, status: 0x20),
            Track(0xFF00, data: 0x31, length: 0x29, status: 0x21),
            Track(0xFF00, data: 0x32, length: 0x2A, status: 0x22),
        ],
        encryptionMarkers: [HIDUsage(page: 0xFF00, id: 0x42), HIDUsage(page: 0xFF00, id: 0x46)])
}
