import CardSecrets
import EMV
import SmartCard

/// The data objects of one activation (Book C-8 annex A): those of terminal and configuration, those that the kernel
/// makes, and those of the card. Secret ones are in memory that is wiped, and are never printed.
struct Kernel8Database: Sendable {
    private var open: [BERTag: [UInt8]]
    private var secret: [BERTag: SecretDataObject] = [:]

    /// The deepest nesting of templates in an answer.
    private static let maximumDepth = 8

    /// Begins with the data of an activation. Objects that only a card can give are left out, so that none of them
    /// stands in for one that the card did not send.
    init(_ data: [BERTag: [UInt8]]) { open = data.filter { Kernel8DataObject[$0.key]?.source != .card } }

    /// A value that is not secret. Setting one is for the kernel's own objects.
    subscript(tag: BERTag) -> [UInt8]? {
        get { open[tag] }
        set { open[tag] = newValue }
    }

    /// Whether there is a value that is not empty.
    func has(_ tag: BERTag) -> Bool {
        open[tag]?.isEmpty == false || secret[tag].map { $0.value.count > 0 } ?? false
    }

    /// Returns a copy of any value that is not empty, for a command, a hash, or a record. Wipe it after use.
    func copy(_ tag: BERTag) -> [UInt8]? {
        guard has(tag) else { return nil }
        return open[tag] ?? secret[tag].map { $0.value.withUnsafeBytes { [UInt8]($0) } }
    }

    /// Fills a list of the card with the formats of kernel 8. Empty values become zeros, as absent ones do.
    func filled(_ list: DataObjectList) -> [UInt8] {
        list.filled(formats: { Kernel8DataObject[$0]?.format }, with: copy)
    }

    /// - Throws: ``Kernel8Error/missing(_:)`` for the first tag without a value.
    func demand(_ tags: BERTag...) throws(Kernel8Error) {
        for tag in tags where !has(tag) { throw .missing(tag) }
    }

    // MARK: Answers of the card

    /// Stores the data objects of the one template that an answer consists of.
    ///
    /// - Returns: the offsets of its value.
    /// - Throws: ``Kernel8Error``
    mutating func store(_ answer: [UInt8], template: BERTag) throws(Kernel8Error) -> Range<Int> {
        let found = try Self.template(answer, [template])
        try check(template, found.value.count)
        try store(answer, found.value)
        return found.value
    }

    /// Returns the one template that an answer consists of.
    ///
    /// - Throws: ``Kernel8Error/malformedAnswer(offset:)``
    static func template(
        _ answer: [UInt8], _ allowed: [BERTag]
    ) throws(Kernel8Error) -> BERTLVReader.Object {
        var reader = BERTLVReader(0..<answer.count)
        guard let object = try next(&reader, answer), allowed.contains(object.tag) else {
            throw .malformedAnswer(offset: 0)
        }
        guard try next(&reader, answer) == nil else { throw .malformedAnswer(offset: object.value.upperBound) }
        return object
    }

    /// Stores the data objects in a range, those of templates too. Unknown ones are skipped; the same value again is
    /// allowed.
    ///
    /// - Throws: ``Kernel8Error``
    mutating func store(_ bytes: [UInt8], _ range: Range<Int>) throws(Kernel8Error) {
        try store(bytes, range, depth: Self.maximumDepth)
    }

    private mutating func store(_ bytes: [UInt8], _ range: Range<Int>, depth: Int) throws(Kernel8Error) {
        var reader = BERTLVReader(range)
        while let object = try Self.next(&reader, bytes) {
            try check(object.tag, object.value.count)
            if object.tag.isConstructed {
                guard depth > 1 else { throw .malformedAnswer(offset: object.start) }
                try store(bytes, object.value, depth: depth - 1)
            } else {
                try keep(object.tag, bytes[object.value])
            }
        }
    }

    /// An empty object counts as absent, whatever its length should be.
    private func check(_ tag: BERTag, _ length: Int) throws(Kernel8Error) {
        if length == 0, Kernel8DataObject[tag]?.source == .card { return }
        do throws(DataObjectError) { try Kernel8DataObject.checkFromCard(tag, length: length) } catch {
            throw .dataObject(error)
        }
    }

    private mutating func keep(_ tag: BERTag, _ value: ArraySlice<UInt8>) throws(Kernel8Error) {
        guard let object = Kernel8DataObject[tag], !value.isEmpty else { return }
        if var known = copy(tag) {
            defer { known.wipe() }
            guard known.elementsEqual(value) else { throw .dataObject(.duplicate(tag)) }
            return
        }
        if object.isSecret {
            secret[tag] = SecretDataObject(Array(value))
        } else {
            open[tag] = Array(value)
        }
    }

    private static func next(
        _ reader: inout BERTLVReader, _ bytes: [UInt8]
    ) throws(Kernel8Error) -> BERTLVReader.Object? {
        do throws(BERTLVError) { return try reader.next(in: bytes.span) } catch {
            throw .malformedAnswer(offset: error.offset)
        }
    }

    /// Stores the value of a data envelope that READ DATA gave.
    mutating func keepEnvelope(_ tag: BERTag, _ value: borrowing SensitiveBytes) {
        var bytes = value.copied()
        secret[tag] = SecretDataObject(bytes)
        bytes.wipe()
    }

    /// Returns the objects of these tags that have a value, one after the other, under the tags that `shown` has for
    /// them.
    func record(_ tags: [BERTag], shown: [BERTag: BERTag]) -> SecretDataObject {
        var bytes: [UInt8] = []
        defer { bytes.wipe() }
        for tag in tags {
            guard var value = copy(tag) else { continue }
            bytes += BERTLV.encode(shown[tag] ?? tag, value)
            value.wipe()
        }
        return SecretDataObject(bytes)
    }
}
