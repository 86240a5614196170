import CardSecrets
import Determinism
import Testing
import Text

@testable import ISO8583

@Suite struct TracedMessageTests {
    private static let number = "4761739001010010"
    private static let track = "4761739001010010=30122011143804489"

    private func message(_ type: String, _ values: [Int: String]) throws -> ISOMessage {
        var message = ISOMessage(try #require(MessageType(type)))
        for (field, value) in values { message.set(field, value) }
        return message
    }

    private func sale() throws -> ISOMessage {
        var message = try message(
            "0200",
            [
                2: Self.number, 3: "000000", 4: "000000001250", 11: "000004", 14: "3012", 35: Self.track,
                37: "632701000004", 41: "TERM0001", 42: "MERCHANT0000001", 49: "978",
                // A field of free use that repeats the number.
                62: "card \(Self.number)",
            ])
        message.set(52, bytes: hex("621F91F5470F2CFE"))
        message.set(55, bytes: hex("9F26088D1E3A5C70B2946F 5A084761739001010010"))
        return message
    }

    private func trace(
        _ message: ISOMessage, _ profile: MessageProfile, _ kind: MessageKind?,
        _ direction: TracedMessage.Direction = .sent, answering request: ISOMessage? = nil
    ) throws -> TracedMessage {
        let codec = profile.makeCodec()
        return TracedMessage(
            direction, try codec.encode(message).bytes, kind: kind, answering: request, codec: codec, profile: profile,
            at: Timestamp(milliseconds: 0))
    }

    /// Everything of the sale that must not be in a trace, as characters and in packed digits.
    private let secrets = [
        "4761739001010010", "34373631373339303031303130303130", "F4F7F6F1F7F3F9F0F0F1F0F1F0F0F1F0",
        "30122011143804489", "621F91F5470F2CFE", "3632314639314635",
    ]

    @Test func `a line has the fields and the frame, and nothing of the card`() throws {
        for profile in [Dialects.text, Dialects.packed] {
            let line = try trace(try sale(), profile, .sale).jsonLine
            for secret in secrets { #expect(!line.contains(secret), "\(secret)") }
            #expect(!line.contains("\n"))
            #expect(line.hasPrefix(#"{"direction":"sent","time":"1970-01-01T00:00:00.000Z","type":"0200""#))
            #expect(line.contains(#""kind":"sale","bytes":"#))
            #expect(line.contains(#"{"field":2,"name":"Primary account number (PAN)","value":"************0010"}"#))
            #expect(line.contains(#""value":"000000001250"}"#))
            #expect(line.contains(#"{"name":"9F26","value":"8D1E3A5C70B2946F"}"#))
        }
    }

    @Test func `the frame is whole, and masked byte for byte`() throws {
        let profile = Dialects.packed
        let message = try message("0800", [3: "990000", 11: "000007", 24: "001", 41: "TERM0001"])
        let body = try profile.makeCodec().encode(message).bytes
        #expect(try trace(message, profile, .echo).frame == profile.frame.frame(body)?.hexadecimal)
        let sale = try sale()
        let (shown, frame) = (
            Array(try #require(try trace(sale, profile, .sale).frame)),
            try #require(profile.frame.frame(try profile.makeCodec().encode(sale).bytes))
        )
        #expect(shown.count == 2 * frame.count)
        let hidden = frame.indices.filter { shown[2 * $0] == "*" }
        // PAN, expiration date, track, PIN block, chip data with a PAN, and the field that repeats the number.
        #expect(hidden.count == 9 + 2 + 18 + 8 + 23 + 23)
        for index in frame.indices where !hidden.contains(index) {
            #expect(String(shown[2 * index...2 * index + 1]) == frame[index].hexadecimal)
        }
    }

    @Test func `an answer is masked by the number of its request`() throws {
        let answer = try message(
            "0210", [11: "000004", 39: "00", 90: "02000000041123011700" + Self.number + "000000"])
        let line = try trace(answer, Dialects.text, .sale, .received, answering: try sale()).jsonLine
        #expect(!line.contains(Self.number) && !line.contains("34373631373339303031303130303130"), "\(line)")
        #expect(line.contains(#""direction":"received""#))
    }

    @Test func `what answers nothing has no frame, and what is no message has its problem`() throws {
        let stranger = try trace(
            try message("0210", [11: "000004", 37: "123456789012", 39: "00"]), Dialects.text, nil, .received)
        #expect(stranger.frame == nil && stranger.kind == nil)
        let codec = Dialects.text.makeCodec()
        let broken = TracedMessage(
            .received, Array("0210ZZ4761739001010010".utf8), kind: nil, codec: codec, profile: Dialects.text,
            at: Timestamp(milliseconds: 0))
        #expect(broken.problem != nil && broken.type == nil && broken.entries.isEmpty)
        #expect(!broken.jsonLine.contains("4761739001010010"))
        #expect(broken.jsonLine.contains(#""kind":null"#))
    }

    @Test func `a new key is never in a trace`() throws {
        let key = "0123456789ABCDEF0123456789ABCDEF8CA64D"
        let answer = try message(
            "0810", [7: "0102120000", 11: "000004", 39: "00", 41: "TERM0001", 48: key, 70: "101"])
        let line = try trace(answer, Dialects.text, .keyExchange, .received).jsonLine
        #expect(!line.contains(key) && !line.contains("30313233343536373839"), "\(line)")
    }
}
