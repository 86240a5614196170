internal import Determinism
internal import Networking

/// One setting: its name in the file, and how its value stands there.
struct SettingsKey<Value>: Sendable {
    let name: String
    /// Nil for what is no such value.
    let read: @Sendable (JSONValue) -> Value?
    let write: @Sendable (Value) -> JSONValue
}

extension SettingsKey<String> {
    static func text(_ name: String) -> SettingsKey<String> {
        SettingsKey(
            name: name, read: { if case .text(let text) = $0 { text } else { nil } }, write: { .text($0) })
    }
}

extension SettingsKey<Bool> {
    static func flag(_ name: String) -> SettingsKey<Bool> {
        SettingsKey(
            name: name, read: { if case .bool(let flag) = $0 { flag } else { nil } }, write: { .bool($0) })
    }
}

extension SettingsKey<Int64> {
    static func number(_ name: String) -> SettingsKey<Int64> {
        SettingsKey(
            name: name, read: { if case .number(let digits) = $0 { Int64(digits) } else { nil } },
            write: { JSONValue($0) })
    }
}

extension SettingsKey<[Int64]> {
    static func numbers(_ name: String) -> SettingsKey<[Int64]> {
        let number = SettingsKey<Int64>.number(name)
        return SettingsKey(
            name: name,
            read: { value in
                guard case .list(let elements) = value else { return nil }
                let numbers = elements.compactMap(number.read)
                return numbers.count == elements.count ? numbers : nil
            }, write: { .list($0.map(number.write)) })
    }
}

extension SettingsKey<[String: Timestamp]> {
    static func moments(_ name: String) -> SettingsKey<[String: Timestamp]> {
        let number = SettingsKey<Int64>.number(name)
        return SettingsKey(
            name: name,
            read: { value in
                guard case .object(let members) = value else { return nil }
                var moments: [String: Timestamp] = [:]
                for member in members {
                    guard let milliseconds = number.read(member.value) else { return nil }
                    moments[member.name] = Timestamp(milliseconds: milliseconds)
                }
                return moments
            },
            write: { moments in
                .object(
                    moments.sorted { $0.key < $1.key }.map {
                        JSONValue.Member($0.key, number.write($0.value.milliseconds))
                    })
            })
    }
}
