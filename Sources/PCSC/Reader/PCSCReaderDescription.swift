/// What the driver in pcscd tells of a reader. Drivers tell more or less of it.
public struct PCSCReaderDescription: Hashable, Sendable {
    public var manufacturer: String?
    public var serialNumber: String?
    /// USB vendor and product, four hexadecimal digits each: `08e6:3437`.
    public var usbID: String?
    /// `major.minor`
    public var softwareVersion: String?
    /// Whether the driver says that the reader takes PINs on keys of its own.
    public var hasPINPad = false

    public init() {}

    /// SCARD_ATTR_VENDOR_NAME, SCARD_ATTR_VENDOR_IFD_SERIAL_NO and SCARD_ATTR_VENDOR_IFD_VERSION (PC/SC part 3).
    private static let (vendorName, serial, version) = (UInt32(0x0001_0100), UInt32(0x0001_0103), UInt32(0x0001_0102))

    /// Asks the driver of a reader that is connected directly. What it does not tell stays nil.
    init(asking reader: PCSCCard) async {
        manufacturer = Self.text(try? await reader.attribute(Self.vendorName))
        serialNumber = Self.text(try? await reader.attribute(Self.serial))
        softwareVersion = (try? await reader.attribute(Self.version)).flatMap(Self.version(in:))
        let features = (try? await reader.features()) ?? [:]
        hasPINPad = features[.verifyPIN] != nil
        if let code = features[.properties], let answer = try? await reader.control(code) {
            usbID = Self.usbID(in: Self.properties(in: answer))
        }
    }

    /// A line of text: what comes before the first zero, without the characters that do not print.
    static func text(_ bytes: [UInt8]?) -> String? {
        guard let bytes else { return nil }
        let scalars = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).unicodeScalars.filter {
            $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
        }
        let line = String(String.UnicodeScalarView(scalars))
        return line.isEmpty ? nil : line
    }

    /// Build, minor and major number, lowest byte first: `bb bb mm MM`.
    static func version(in bytes: [UInt8]) -> String? {
        guard bytes.count == 4 else { return nil }
        let minor = String(bytes[2], radix: 16)
        return String(bytes[3], radix: 16) + "." + (minor.count == 1 ? "0" : "") + minor
    }

    /// Reads the answer to FEATURE_GET_TLV_PROPERTIES (PC/SC part 10 §2.6.14): for each property its tag, its length
    /// and its value. What is cut off at the end is passed over.
    static func properties(in answer: [UInt8]) -> [UInt8: [UInt8]] {
        var properties: [UInt8: [UInt8]] = [:]
        var rest = answer[...]
        while let tag = rest.popFirst(), let length = rest.popFirst(), rest.count >= Int(length) {
            properties[tag] = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
        }
        return properties
    }

    /// wIdVendor and wIdProduct, lowest byte first.
    private static func usbID(in properties: [UInt8: [UInt8]]) -> String? {
        func number(_ tag: UInt8) -> String? {
            guard let value = properties[tag], value.count == 2 else { return nil }
            let digits = String(UInt16(value[1]) << 8 | UInt16(value[0]), radix: 16)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }
        return number(0x0B).flatMap { vendor in number(0x0C).map { vendor + ":" + $0 } }
    }
}

extension PCSCContext {
    /// Asks the driver of a reader what the reader is. One that another program works with is not asked: the question
    /// would wait for it.
    ///
    /// - Throws: ``PCSCError``
    public func describe(_ reader: String) async throws(PCSCError) -> PCSCReaderDescription {
        let state = try await change(from: [PCSCReaderState(reader: reader)], within: .zero)?.first
        guard let state, !state.isGone, state.flags.isDisjoint(with: [.exclusive, .inUse]) else {
            return PCSCReaderDescription()
        }
        let direct = try await connect(reader, sharing: .direct, protocols: [])
        let description = await PCSCReaderDescription(asking: direct)
        try await direct.disconnect()
        return description
    }
}
