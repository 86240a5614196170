import Determinism

@testable import ISO8583

/// Random messages of a profile whose values fit their fields.
struct ArbitraryMessages {
    let profile: MessageProfile
    let random: any RandomSource

    init(_ profile: MessageProfile, seed: UInt64) {
        (self.profile, random) = (profile, SeededRandomSource(seed: seed))
    }

    private func number(below bound: Int) -> Int {
        guard bound > 0 else { return 0 }
        return random.bytes(4).reduce(0) { $0 << 8 | Int($1) } % bound
    }

    /// Returns a message with about a third of the fields.
    func message() -> ISOMessage {
        let types = ["100", "110", "200", "210", "220", "420", "421", "430", "500", "800", "810"]
        let digits = "\(profile.version.digit)\(types[number(below: types.count)])"
        guard let type = MessageType(digits) else { fatalError("no type \(digits)") }
        var message = ISOMessage(type)
        for format in profile.table.all where number(below: 3) == 0 && format.number != 65 {
            message.set(format.number, bytes: value(format))
        }
        return message
    }

    func value(_ format: FieldFormat) -> [UInt8] {
        let length =
            switch format.length {
            case .fixed(let length): length
            case .variable(_, let minimum, let maximum): minimum + number(below: min(maximum, 60) - minimum + 1)
            }
        switch format.attribute {
        case .b: return random.bytes(length)
        case .signed: return [number(below: 2) == 0 ? 0x43 : 0x44] + text(length, "0123456789")
        case .n: return text(length, "0123456789")
        case .z: return text(length, "0123456789=")
        case .a: return text(length, "ABCDEFGHIJKLMNOPQRSTUVWXYZ abc")
        case .s: return text(length, " !#$%&*+-./:;<=>?@[]^_{|}~")
        case .an, .anp: return text(length, "ABCXYZ0189 abc")
        case .lettersAndSpecial: return text(length, "ABCxyz !$%&[]^|")
        case .ns: return text(length, "0123456789 !$%&[]^|")
        case .ans: return text(length, "ABCXYZ0189 abc !#$%&*+-./:;<=>?@[]^_{|}~")
        }
    }

    private func text(_ length: Int, _ characters: String) -> [UInt8] {
        let characters = Array(characters.utf8)
        return (0..<length).map { _ in characters[number(below: characters.count)] }
    }
}
