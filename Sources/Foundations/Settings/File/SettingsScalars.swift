import Text

extension SettingsNode {
    /// Returns the text exactly as written, without its quotes.
    ///
    /// - Parameter length: the allowed number of characters.
    /// - Returns: the text.
    /// - Throws: ``SettingsError``
    public func text(length: ClosedRange<Int> = 1...4096) throws(SettingsError) -> String {
        guard case .text(let text, _) = content, !isNothing else {
            throw failure(.wrongKind(expected: .text, found: kind))
        }
        guard length.contains(text.count) else {
            throw failure(
                .wrongLength(
                    found: text.count, minimum: length.lowerBound, maximum: length.upperBound, unit: .characters))
        }
        return text
    }

    /// Returns an integer in decimal digits.
    ///
    /// - Throws: ``SettingsError``
    public func int(in range: ClosedRange<Int> = Int.min...Int.max) throws(SettingsError) -> Int {
        let text = try text()
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw failure(.notANumber(value: quotable(text)))
        }
        // Int() refuses what does not fit in 64 bits, which is out of every range.
        guard let number = Int(text), range.contains(number) else {
            throw failure(
                .outOfRange(value: quotable(text), minimum: range.lowerBound, maximum: range.upperBound))
        }
        return number
    }

    /// Returns a number of seconds, in decimal digits without a unit.
    ///
    /// - Throws: ``SettingsError``
    public func seconds(in range: ClosedRange<Int>) throws(SettingsError) -> Int {
        do throws(SettingsError) { return try int(in: range) } catch {
            guard case .notANumber = error.problem else { throw error }
            throw self.error(error.problem.message, fix: "give seconds, such as 3")
        }
    }

    /// Returns `true` or `false`, written without quotes. YAML's other boolean words (yes, on, …) are refused, because
    /// programs interpret them differently.
    ///
    /// - Throws: ``SettingsError``
    public func bool() throws(SettingsError) -> Bool {
        let text = try text()
        switch content {
        case .text("true", isPlain: true): return true
        case .text("false", isPlain: true): return false
        default: throw failure(.notABoolean(value: quotable(text)))
        }
    }

    /// Returns the bytes of hexadecimal digits, which can have blanks between them.
    ///
    /// - Parameter length: the allowed number of bytes.
    /// - Returns: the bytes.
    /// - Throws: ``SettingsError``
    public func hex(length: ClosedRange<Int>) throws(SettingsError) -> [UInt8] {
        let text = try text(length: 0...4096)
        guard let bytes = [UInt8](hexadecimal: text.filter { !$0.isWhitespace }) else {
            throw failure(.notHexadecimal(value: quotable(text)))
        }
        guard length.contains(bytes.count) else {
            throw failure(
                .wrongLength(
                    found: bytes.count, minimum: length.lowerBound, maximum: length.upperBound, unit: .bytes))
        }
        return bytes
    }

    /// Returns exactly `length` bytes of hexadecimal digits.
    ///
    /// - Throws: ``SettingsError``
    public func hex(length: Int) throws(SettingsError) -> [UInt8] { try hex(length: length...length) }

    /// Returns the value of one of a set of words.
    ///
    /// - Throws: ``SettingsError`` with the allowed words.
    public func choice<Value>(of values: KeyValuePairs<String, Value>) throws(SettingsError) -> Value {
        let text = try text()
        guard let value = values.first(where: { $0.key == text })?.value else {
            let allowed = values.map(\.key)
            throw failure(
                .notOneOf(
                    value: quotable(text), allowed: allowed,
                    nearest: isConcealed ? nil : NearestName.to(text, among: allowed)))
        }
        return value
    }

    /// Returns one of an enumeration's cases by its raw value.
    ///
    /// - Throws: ``SettingsError`` with the allowed words.
    public func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ type: Value.Type
    ) throws(SettingsError) -> Value {
        let text = try text()
        guard let value = Value(rawValue: text) else {
            let allowed = Value.allCases.map(\.rawValue)
            throw failure(
                .notOneOf(
                    value: quotable(text), allowed: allowed,
                    nearest: isConcealed ? nil : NearestName.to(text, among: allowed)))
        }
        return value
    }

    private func quotable(_ text: String) -> String? { isConcealed ? nil : text }
}
