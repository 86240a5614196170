import EMV
public import SmartCard

/// Why an answer to SELECT, or an entry of a directory in it, cannot be used, and at which offset of the answer.
/// Contains no values.
public enum FileControlError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not BER-TLV.
    case malformed(BERTLVError)
    /// The template whose content begins at the offset has no such data object.
    case missing(BERTag, offset: Int)
    /// The data object at the offset is the second one of its tag.
    case duplicate(BERTag, offset: Int)
    /// The data object at the offset has a wrong length.
    case wrongLength(BERTag, offset: Int)

    /// The offset of the error from the first byte of the answer.
    public var offset: Int {
        switch self {
        case .malformed(let error): error.offset
        case .missing(_, let offset), .duplicate(_, let offset), .wrongLength(_, let offset): offset
        }
    }

    public var description: String {
        switch self {
        case .malformed(let error): "\(error)"
        case .missing(let tag, let offset): "no data object \(tag) in the template at offset \(offset)"
        case .duplicate(let tag, let offset): "data object \(tag) for the second time at offset \(offset)"
        case .wrongLength(let tag, let offset): "data object \(tag) with a wrong length at offset \(offset)"
        }
    }
}

/// The data objects directly in one template of an answer. It does not look into unknown templates.
struct TemplateContent {
    let bytes: [UInt8]
    /// The offset of the first byte of the content.
    let start: Int
    let objects: [BERTLVReader.Object]

    /// Reads the data objects in `range`.
    ///
    /// - Throws: ``FileControlError/malformed(_:)``
    init(_ bytes: [UInt8], _ range: Range<Int>) throws(FileControlError) {
        var objects: [BERTLVReader.Object] = []
        var reader = BERTLVReader(range)
        do throws(BERTLVError) {
            while let object = try reader.next(in: bytes.span) { objects.append(object) }
        } catch {
            throw .malformed(error)
        }
        (self.bytes, self.objects, start) = (bytes, objects, range.lowerBound)
    }

    /// Returns the data object with `tag`; nil if there is none.
    ///
    /// - Throws: ``FileControlError/duplicate(_:offset:)``
    func object(_ tag: BERTag) throws(FileControlError) -> BERTLVReader.Object? {
        var found: BERTLVReader.Object?
        for object in objects where object.tag == tag {
            guard found == nil else { throw .duplicate(tag, offset: object.start) }
            found = object
        }
        return found
    }

    /// Returns the content of the template with `tag`.
    ///
    /// - Throws: ``FileControlError``
    func template(_ tag: BERTag) throws(FileControlError) -> TemplateContent {
        guard let object = try self.object(tag) else { throw .missing(tag, offset: start) }
        return try TemplateContent(bytes, object.value)
    }

    /// Returns the value of the data object with `tag`; nil if there is none, or an empty one.
    ///
    /// - Throws: ``FileControlError/wrongLength(_:offset:)``, ``FileControlError/duplicate(_:offset:)``
    func value(_ tag: BERTag, lengths: ClosedRange<Int>) throws(FileControlError) -> [UInt8]? {
        guard let object = try self.object(tag), !object.value.isEmpty else { return nil }
        guard lengths.contains(object.value.count) else { throw .wrongLength(tag, offset: object.start) }
        return Array(bytes[object.value])
    }
}

/// The parts of an application's answer to SELECT that Entry Point uses (EMV Contactless Book B §3.3.3.4, §3.3.3.6).
struct SelectedFile: Hashable, Sendable {
    /// Tag 84
    let dfName: [UInt8]?
    /// Tag 9F38; nil if there is none, or it is malformed.
    let pdol: DataObjectList?

    /// Reads template 6F with 84 and A5.
    ///
    /// - Throws: ``FileControlError``
    init(_ answer: [UInt8]) throws(FileControlError) {
        let file = try TemplateContent(answer, 0..<answer.count).template(EMVTag.fileControlInformation)
        dfName = try file.value(EMVTag.dfName, lengths: 5...16)
        guard let proprietary = try file.object(EMVTag.fciProprietary) else {
            pdol = nil
            return
        }
        let list = try TemplateContent(answer, proprietary.value).value(EMVTag.pdol, lengths: 1...252)
        pdol = list.flatMap { try? DataObjectList($0) }
    }
}
