import Settings
import Text

extension ProfileDecoder {
    /// Applies the changes of the dialect to the fields of the edition.
    mutating func fields(_ base: FieldTable, _ encoding: MessageEncoding) -> FieldTable {
        var table = base
        for entry in entries(node("fields")) {
            guard let number = fieldNumber(entry) else { continue }
            if bool(false, try? entry.value.optional("omit")) {
                table[number] = nil
                omitted.insert(number)
                continue
            }
            let start = table[number]
            guard let format = format(number, start, entry.value) else { continue }
            check(format, encoding, entry.value)
            table[number] = format
        }
        return table
    }

    private mutating func format(_ number: Int, _ base: FieldFormat?, _ node: SettingsNode) -> FieldFormat? {
        func value(_ key: String) -> SettingsNode? { try? node.optional(key) }
        guard base != nil || value("attribute") != nil && (value("length") ?? value("maximum")) != nil else {
            note(
                node.error(
                    "the edition has no field \(number)",
                    fix: "write its attribute, and its length, or its kind and maximum"))
            return nil
        }
        var format =
            base
            ?? FieldFormat(number: number, name: "Field \(number)", attribute: .ans, length: .fixed(0))
        format.name = text(format.name, value("name"))
        format.attribute = word(format.attribute, value("attribute"))
        format.length = length(format.length, node)
        if let own = value("encoding") { format.encoding = word(ValueEncoding.raw, own) }
        if let own = value("lengths") { format.lengthEncoding = word(LengthEncoding.ascii, own) }
        format.isSecret = bool(format.isSecret, value("secret"))
        if format.isSecret == false, ISOMessage.secretFields.contains(number), let secret = value("secret") {
            note(secret.error("field \(number) has card data, and is always masked", fix: "remove secret: false"))
        }
        format.content = content(format, node)
        return format
    }

    private mutating func length(_ base: FieldLength, _ node: SettingsNode) -> FieldLength {
        func value(_ key: String) -> SettingsNode? { try? node.optional(key) }
        let others = ["kind", "minimum", "maximum"].compactMap(value)
        if let fixed = value("length") {
            if let other = others.first {
                note(other.error("a fixed length has neither kind nor minimum nor maximum", fix: "remove it"))
            }
            return .fixed(int(1, fixed))
        }
        guard !others.isEmpty else { return base }
        var (digits, minimum, maximum) = (0, 0, base.maximum)
        if case .variable(let own, let least, _) = base { (digits, minimum) = (own, least) }
        digits = value("kind").map { text("", $0).count } ?? digits
        minimum = int(minimum, value("minimum"))
        maximum = int(maximum, value("maximum"))
        guard digits > 0 else {
            note(node.error("the field has a fixed length", fix: "write length, or kind and maximum"))
            return base
        }
        if minimum > maximum { note(node.error("the minimum is greater than the maximum")) }
        return .variable(digits: digits, minimum: minimum, maximum: maximum)
    }

    private mutating func content(_ format: FieldFormat, _ node: SettingsNode) -> FieldContent {
        func value(_ key: String) -> SettingsNode? { try? node.optional(key) }
        guard let content = value("content") else { return format.content }
        switch text("plain", content) {
        case "bertlv":
            if format.attribute != .b { note(content.error("BER-TLV needs the attribute b")) }
            return .berTLV
        case "fixed":
            guard let parts = value("parts") else {
                note(content.error("the content has no parts", fix: "write parts, each with name and length"))
                return .plain
            }
            return note(.plain) { () throws(SettingsError) in
                var list: [FieldContent.Part] = []
                for part in try parts.list() {
                    list.append(
                        FieldContent.Part(
                            name: try part.required("name").text(), length: try part.required("length").int()))
                }
                return .parts(list)
            }
        case "tables":
            guard let entry = value("entry") else {
                note(content.error("the content has no entry", fix: "write entry with length and id"))
                return .plain
            }
            return note(.plain) { () throws(SettingsError) in
                .tables(
                    FieldContent.TableForm(
                        length: try entry.required("length").choice(FieldContent.TableLength.self),
                        identifierLength: try entry.required("id").int()))
            }
        default: return .plain
        }
    }

    /// Checks that the length can be written and that the encoding fits.
    private mutating func check(_ format: FieldFormat, _ encoding: MessageEncoding, _ node: SettingsNode) {
        if case .variable(let digits, _, _) = format.length {
            let rule = FieldRule(format, encoding)
            let largest =
                rule.lengthEncoding == .binary
                ? (0..<rule.lengthBytes).reduce(1) { power, _ in power * 256 }
                : (0..<digits).reduce(1) { power, _ in power * 10 }
            if rule.longestLength >= largest {
                note(
                    node.error(
                        "a length of \(digits) digits cannot count \(rule.longestLength)",
                        fix: "write a smaller maximum or a longer kind"))
            }
        }
        guard let own = format.encoding else { return }
        let fits =
            switch format.attribute {
            case .b: own == .raw || own == .hex
            case .n, .z, .signed: own != .raw && own != .hex
            default: own != .raw && own != .hex && own != .bcd
            }
        if !fits {
            note(node.error("the encoding \(own.rawValue) does not fit the attribute \(format.attribute.rawValue)"))
        }
    }
}

extension ProfileDecoder {
    mutating func values(_ table: FieldTable) -> ProfileValues {
        var values = ProfileValues()
        for entry in entries(node("values", "fixed")) {
            guard let number = fieldNumber(entry) else { continue }
            let value = text("", entry.value)
            values.fixed[number] = value
            check(value, number, table, entry.value)
        }
        values.condition = codes("condition", 25, table)
        values.processing = codes("processing", 3, table)
        values.entryMode = self.table(node("values", "entryMode"))
        values.pinCapability = self.table(node("values", "pinCapability"))
        values.reversalReason = self.table(node("values", "reversalReason"))
        values.reversalReasonField = node("values", "reversalReasonField").map { int(39, $0) }
        if let field = values.reversalReasonField {
            for entry in entries(node("values", "reversalReason")) {
                check(text("", entry.value), field, table, entry.value)
            }
        }
        values.reference = word(.none, node("values", "reference"))
        if let location = node("values", "location") {
            values.location = note([25, 13, 2]) { () throws(SettingsError) in
                var widths: [Int] = []
                for width in try location.list() { widths.append(try width.int()) }
                return widths
            }
            if let format = table[43], values.location.reduce(0, +) > format.length.maximum {
                note(location.error("field 43 has at most \(format.length.maximum) characters"))
            }
        }
        for entry in entries(node("values", "chip")) {
            values.chip[entry.key] = note([]) { () throws(SettingsError) in
                var tags: [UInt32] = []
                for tag in try entry.value.list() {
                    tags.append(try tag.hex(length: 1...4).reduce(0) { $0 << 8 | UInt32($1) })
                }
                return tags
            }
        }
        return values
    }

    private mutating func codes(_ key: String, _ field: Int, _ table: FieldTable) -> [String: String] {
        for entry in entries(node("values", key)) { check(text("", entry.value), field, table, entry.value) }
        return self.table(node("values", key))
    }

    /// Checks that a value can stand in a field.
    mutating func check(_ value: String, _ field: Int, _ table: FieldTable, _ node: SettingsNode) {
        guard let format = table[field] else {
            return note(node.error("the profile has no field \(field)", fix: "write it under fields, or remove this"))
        }
        let allowed = format.attribute.characters(isChecked: true).rawValue
        let isRight = value.unicodeScalars.allSatisfy { scalar in
            scalar.value < 256 && CharacterSet8.ofCharacter[Int(scalar.value)] & allowed != 0
        }
        let count = value.unicodeScalars.count
        let fits =
            switch format.length {
            case .fixed(let length): count == length
            case .variable(_, let minimum, let maximum): (minimum...max(minimum, maximum)).contains(count)
            }
        if !isRight || !fits {
            note(node.error("field \(field) cannot have this value: it is \(format.attributeText)"))
        }
    }
}
