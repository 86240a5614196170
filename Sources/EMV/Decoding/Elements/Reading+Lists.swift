internal import SmartCard

extension Reading {
    /// The tags and lengths of a data object list, up to what cannot be read (EMV Book 3 §5.4).
    func list(in range: Range<Int>) -> (entries: [DecodedValue], problem: DecodingProblem?) {
        var entries: [DecodedValue] = []
        var reader = BERTLVReader(range)
        while reader.position < range.upperBound {
            let start = reader.position
            do throws(BERTLVError) {
                let tag = try reader.nextTag(in: bytes.span)
                let lengthPlace = reader.position
                guard lengthPlace < range.upperBound else { throw .truncated(offset: start) }
                let length = bytes[lengthPlace]
                reader = BERTLVReader((lengthPlace + 1)..<range.upperBound)
                let element = DataElement.described(tag)
                entries.append(
                    DecodedValue(
                        tag: tag, name: element?.name ?? "unknown", format: element?.format, source: element?.source,
                        offset: start, length: Int(length)))
            } catch {
                return (entries, DecodingProblem(offset: start, reason: "a tag or its length is cut off or too long"))
            }
        }
        return (entries, nil)
    }

    /// A data object list as the value of a data element.
    func list(_ value: inout DecodedValue, _ range: Range<Int>) {
        let list = list(in: range)
        value.children = list.entries
        if let problem = list.problem { value.problems.append("\(problem)") }
    }

    /// Tags without lengths.
    func tags(_ value: inout DecodedValue, _ range: Range<Int>) {
        var reader = BERTLVReader(range)
        while reader.position < range.upperBound {
            let start = reader.position
            guard let tag = try? reader.nextTag(in: bytes.span) else {
                return value.problems.append("a tag is cut off or too long, at offset \(start)")
            }
            let element = DataElement.described(tag)
            value.children.append(
                DecodedValue(
                    tag: tag, name: element?.name ?? "unknown", format: element?.format, source: element?.source,
                    offset: start, length: 0))
        }
    }

    /// EMV Book 3 §10.2.
    func fileLocator(_ value: inout DecodedValue, _ range: Range<Int>) {
        do throws(AFLError) {
            let locator = try ApplicationFileLocator(Array(bytes[range]))
            for (index, entry) in locator.entries.enumerated() {
                let (first, last) = (entry.records.lowerBound, entry.records.upperBound)
                let records = first == last ? "record \(first)" : "records \(first) to \(last)"
                let count = entry.authenticatedCount
                let start = range.lowerBound + index * 4
                value.children.append(
                    part(
                        "file \(entry.file)", start..<(start + 4),
                        records + (count == 0 ? "" : ", \(count) of them in offline data authentication")))
            }
        } catch {
            value.problems.append(error.description)
        }
    }
}
