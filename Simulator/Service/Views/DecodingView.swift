import EMV
import HTTPInterface
import SessionViews
import SmartCard
import Text

extension Views {
    static let decodedExchange = View<DecodedExchange>(
        .key("values", .list(.named("DecodedValue")), "The command, and the answer if there is one.") {
            $0.values.map(decodedValue.json)
        },
        .key("problem", .text, "Why decoding stopped early.") { $0.problem })

    /// A value with its parts, as `cardpresent emv decode --json` shows it; keys without a value are left out.
    static let decodedValue: View<DecodedValue> = View(
        .key("tag", .text) { $0.tag?.description },
        .key("name", .text) { $0.name },
        .key("format", .text, "The format: a, an, ans, n, cn, or b.") { $0.format?.rawValue },
        .key("source", .text, "Where the value comes from: card, terminal, or issuer.") { $0.source?.rawValue },
        .key("offset", .count, "The offset of its first byte in command and answer.") { $0.offset },
        .key("length", .count, "The length in bytes.") { $0.length },
        .key("hex", .text) { $0.hex },
        .key("meaning", .text) { $0.meaning },
        .key("masked", .boolean, "Whether it is not shown because it is, or may be, card data.") { $0.isMasked },
        .key("flags", .list(flag.schema), "The bits that are set, and all bit fields.") { $0.flags.map(flag.json) },
        .key("problems", .list(.text)) { $0.problems },
        .key("children", .list(.named("DecodedValue")), "Its parts.") { $0.children.map(decodedPart) })

    private static func decodedPart(_ value: DecodedValue) -> JSONValue { decodedValue.json(value) }

    private static let flag = View<DecodedValue.Flag>(
        .key("byte", .count, "1 is the leftmost byte.") { $0.byte },
        .key("mask", .text, "The bits in hexadecimal digits: 80 is b8.") { [$0.mask].hexadecimal },
        .key("name", .text) { $0.name })
}
