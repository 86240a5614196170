public import Determinism
import Text

/// The description of a reader by its pcscd driver. Drivers give more or less of it.
public struct PCSCReaderDescription: Hashable, Sendable {
    public var manufacturer: String?
    public var serialNumber: String?
    /// USB vendor and product, four hexadecimal digits each: `08e6:3437`.
    public var usbID: String?
    /// `major.minor`
    public var softwareVersion: String?
    /// Whether the reader has its own PIN pad, according to the driver.
    public var hasPINPad = false

    /// Creates a description that tells nothing.
    public init() {}

    /// SCARD_ATTR_VENDOR_NAME, SCARD_ATTR_VENDOR_IFD_SERIAL_NO and SCARD_ATTR_VENDOR_IFD_VERSION (PC/SC part 3).
    private static let (vendorName, serial, version) = (UInt32(0x0001_0100), UInt32(0x0001_0103), UInt32(0x0001_0102))

    /// Asks the driver of a directly connected reader. Values that it does not give stay nil.
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

    /// Returns a line of text: the bytes before the first zero, without control characters.
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
        return String(bytes[3], radix: 16) + "." + bytes[2].lowercaseHexadecimal
    }

    /// Reads the answer to FEATURE_GET_TLV_PROPERTIES (PC/SC part 10 §2.6.14): for each property its tag, its length
    /// and its value. Ignores a truncated property at the end.
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
            return [value[1], value[0]].lowercaseHexadecimal
        }
        return number(0x0B).flatMap { vendor in number(0x0C).map { vendor + ":" + $0 } }
    }
}

extension PCSCContext {
    /// Returns the driver's description of a reader. Does not ask about a reader in use by another program, which would
    /// block the request.
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

/// Watches pcscd's list of readers. A stopped pcscd has no readers.
public struct PCSCReaderListWatch: Sendable {
    private let library: PCSCLibrary?
    private let timing: PCSCTiming
    private let time: any TimeSource
    /// The most states of one PC/SC call, including that of the reader list (pcsclite.h).
    private static let mostStates = 16

    /// - Parameters:
    ///   - library: the PC/SC library; nil takes the installed one.
    ///   - timing: how long to wait for what.
    ///   - time: the clock that measures the waits.
    public init(
        library: PCSCLibrary? = nil, timing: PCSCTiming = PCSCTiming(), time: any TimeSource = SystemTimeSource()
    ) {
        (self.library, self.timing, self.time) = (library, timing, time)
    }

    /// Runs until the task is canceled.
    ///
    /// - Parameter onList: called with the names of the readers, none without pcscd: at once, then whenever they may
    ///   have changed.
    public func run(onList: ([String]) async -> Void) async {
        while !Task.isCancelled {
            do throws(PCSCError) {
                let context = try await PCSCContext.establish(library: library, timing: timing, time: time)
                do throws(PCSCError) {
                    while true {
                        let names = try await context.readers()
                        await onList(names)
                        try await waitForChange(of: names, in: context)
                    }
                } catch {
                    await context.release()
                    throw error
                }
            } catch {
                // A reader that was removed between two calls is not a failure of the connection.
                if case .failed(_, .unknownReader) = error { continue }
                guard error != .canceled else { return }
                await onList([])
                try? await time.sleep(for: timing.listInterval)
            }
        }
    }

    /// Returns when a reader or a card may have been added or removed, and after ``PCSCTiming/listInterval``.
    private func waitForChange(of names: [String], in context: PCSCContext) async throws(PCSCError) {
        var known = [PCSCReaderState.readerList] + names.prefix(Self.mostStates - 1).map(PCSCReaderState.init(reader:))
        // For readers in an unknown state the first call returns at once.
        known = try await context.change(from: known, within: .zero) ?? known
        _ = try await context.change(from: known, within: timing.listInterval)
    }
}
