internal import Glibc
internal import Simulator

/// Looks for what nobody may be told of the cards of a session: their numbers, what is on their tracks, their expiry
/// dates and PINs, in the forms in which programs write such things down.
struct SecretSearch {
    private struct Needle {
        let secret: String
        let text: String
    }

    private let needles: [Needle]

    /// - Parameters:
    ///   - cards: whose secrets must not be told.
    ///   - pins: what was typed; each with so many digits that they stand nowhere by chance.
    init(cards: [CardProfile], pins: [String]) {
        var needles = pins.map { Needle(secret: "PIN", text: $0) }
        needles += pins.map { Needle(secret: "PIN", text: Self.hexadecimal($0)) }
        for secret in cards.flatMap(\.secrets) {
            let number = secret.accountNumber
            // Ten digits in a row stand nowhere by chance; the last four alone may be shown.
            var forms = [String(number.prefix(10)), String(number.suffix(10))]
            forms += [Self.grouped(number), Self.hexadecimal(String(number.prefix(10)))]
            needles += forms.map { Needle(secret: "card number", text: $0) }
            needles += secret.expiryForms.map { Needle(secret: "expiry date", text: $0) }
        }
        self.needles = needles
    }

    /// What of it stands in a text.
    func secrets(in text: [UInt8]) -> Set<String> {
        // The search of the C library ends at a zero.
        var text = text
        for place in text.indices where text[place] == 0 { text[place] = UInt8(ascii: "\n") }
        text.append(0)
        var found: Set<String> = []
        text.withUnsafeBufferPointer { text in
            guard let start = text.baseAddress else { return }
            start.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
                for needle in needles where !found.contains(needle.secret) {
                    if strstr(start, needle.text) != nil { found.insert(needle.secret) }
                }
            }
        }
        return found
    }

    /// The bytes of a text, as a trace writes them.
    private static func hexadecimal(_ digits: String) -> String { digits.map { "3\($0)" }.joined() }

    /// The first eight digits in groups of four, as people write them.
    private static func grouped(_ digits: String) -> String {
        "\(digits.prefix(4)) \(digits.dropFirst(4).prefix(4)) \(digits.dropFirst(8).prefix(2))"
    }
}
