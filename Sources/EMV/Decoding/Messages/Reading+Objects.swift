internal import SmartCard

extension Reading {
    /// The data objects in a range. The reading stops at the first that cannot be read; what can be told of it
    /// is told.
    mutating func objects(in range: Range<Int>, depth: Int = EMVDecoder.maximumDepth) -> [DecodedValue] {
        guard depth > 0 else {
            stop(at: range.lowerBound, "templates nested deeper than \(EMVDecoder.maximumDepth) levels")
            return []
        }
        var objects: [DecodedValue] = []
        var reader = BERTLVReader(range)
        while problem == nil {
            let header: BERTLVReader.Header
            do throws(BERTLVError) {
                guard let next = try reader.nextHeader(in: bytes.span) else { break }
                header = next
            } catch {
                stop(at: error.offset, Self.words(error))
                break
            }
            let value = reader.position..<min(range.upperBound, reader.position + header.length)
            guard value.count == header.length else {
                objects.append(cutOff(header, value, depth))
                break
            }
            reader = BERTLVReader(value.upperBound..<range.upperBound)
            objects.append(element(header.tag, start: header.start, value: value, depth: depth))
        }
        return objects
    }

    /// A data object whose value is longer than what is there: its name, and what a template has of children.
    private mutating func cutOff(
        _ header: BERTLVReader.Header, _ present: Range<Int>, _ depth: Int
    ) -> DecodedValue {
        let element = DataElement.described(header.tag)
        var value = DecodedValue(
            tag: header.tag, name: element?.name ?? "unknown", format: element?.format, source: element?.source,
            offset: header.start, length: header.length)
        let missing = "\(header.tag) has \(present.count) of its \(header.length) bytes"
        value.problems = ["cut off: \(present.count) of its \(header.length) bytes are there"]
        // The deepest place says most; a part of a value says nothing, and may be a part of a PAN.
        if header.tag.isConstructed { value.children = objects(in: present, depth: depth - 1) }
        stop(at: present.upperBound, missing)
        return value
    }

    private static func words(_ error: BERTLVError) -> String {
        switch error {
        case .truncated: "the data end inside a tag or a length"
        case .tagTooLong: "a tag of more than four bytes"
        case .invalidLength: "a length of more than three bytes, or of the indefinite form"
        case .tooDeep: "templates nested too deep"
        case .tooLarge: "more data than allowed"
        }
    }
}
