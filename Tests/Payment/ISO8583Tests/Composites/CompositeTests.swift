import Determinism
import Testing

@testable import ISO8583

struct CompositeTests {
    @Test func `field 90 names the original message`() throws {
        let text = "020000000511230118000000012345600000000000"
        let data = try #require(OriginalData(field90: text))
        #expect(data.type.description == "0200")
        #expect(data.traceNumber == "000005")
        #expect(data.time == "1123011800")
        #expect(data.acquirer == "123456")
        #expect(data.forwarder == "")
        #expect(data.field90 == text)
        #expect(OriginalData(field90: String(text.dropLast())) == nil)
        #expect(OriginalData(field90: "9" + text.dropFirst() + "x") == nil)
        var wrong = data
        wrong.traceNumber = "5"
        #expect(wrong.field90 == nil)
        wrong = data
        wrong.acquirer = "123456789012"
        #expect(wrong.field90 == nil)
    }

    @Test func `field 56 names the original message`() throws {
        let text = "120000001526112302290006123456"
        let data = try #require(OriginalData(field56: text, .v1993))
        #expect(data.time == "261123022900")
        #expect(data.acquirer == "123456")
        #expect(data.field56(.v1993) == text)
        #expect(OriginalData(field56: text + "1", .v1993) == nil)
        #expect(OriginalData(field56: "12000000", .v1993) == nil)
        #expect(data.field56(.v2003) == nil)
        let long = "2200000000000015" + "20261123022900" + "00"
        #expect(try #require(OriginalData(field56: long, .v2003)).field56(.v2003) == long)
    }

    @Test func `field 95 has what really moved`() throws {
        let text = "000000001100000000000000C00000000C00000000"
        let amounts = try #require(ReplacementAmounts(text))
        #expect(amounts == ReplacementAmounts(transaction: 1100))
        #expect(amounts.text == text)
        #expect(ReplacementAmounts(transaction: 1_000_000_000_000).text == nil)
        #expect(ReplacementAmounts(transaction: -1).text == nil)
        #expect(ReplacementAmounts(text.replacing("C", with: "X")) == nil)
        #expect(ReplacementAmounts("é" + text.dropFirst()) == nil)
    }

    @Test func `field 54 has groups of 20 characters`() throws {
        let text = "0057978D0000000007990002978C000000000000"
        let amounts = try #require(AdditionalAmount.list(text))
        #expect(amounts.map(\.kind) == ["57", "02"])
        #expect(amounts[0].amount == SignedAmount(.debit, 799))
        #expect(AdditionalAmount.text(amounts) == text)
        #expect(AdditionalAmount.list("") == [])
        #expect(AdditionalAmount.list(String(text.dropLast())) == nil)
        #expect(AdditionalAmount.text(Array(repeating: amounts[0], count: 7)) == nil)
        #expect(AdditionalAmount.list(String(repeating: "0057978D000000000799", count: 7)) == nil)
    }

    @Test func `an amount has its currency in front since 2003 only`() throws {
        let amount = TransactionAmount(minorUnits: 1250, currency: "840", exponent: 2)
        #expect(amount.text(.v2003) == "8402000000001250")
        #expect(amount.text(.v1987) == "000000001250")
        #expect(TransactionAmount("8402000000001250", .v2003) == amount)
        #expect(TransactionAmount("000000001250", .v1993) == TransactionAmount(minorUnits: 1250))
        for text in ["", "000000001250", "84020000000012500", "840200000000125A", "-402000000001250"] {
            #expect(TransactionAmount(text, .v2003) == nil)
        }
        #expect(TransactionAmount(minorUnits: 1_000_000_000_000).text(.v1987) == nil)
        #expect(TransactionAmount(minorUnits: -1).text(.v1987) == nil)
        #expect(TransactionAmount(minorUnits: 1).text(.v2003) == nil)
    }

    @Test func `field 3 has a transaction and two accounts`() throws {
        let code = try #require(ProcessingCode("003000"))
        #expect(code.transaction == "00")
        #expect(code.fromAccount == "30")
        #expect("\(code)" == "003000")
        #expect(ProcessingCode("00300") == nil)
        #expect(ProcessingCode("00300x") == nil)
        #expect(ProcessingCode(transaction: "٠٠") == nil)
    }

    @Test func `field 22 differs by edition`() throws {
        let mode = try #require(EntryMode("051"))
        #expect(mode.entry == "05" && mode.pinCapability == "1" && "\(mode)" == "051")
        #expect(EntryMode("05") == nil && EntryMode("0512") == nil && EntryMode("0x1") == nil)
        var code = try #require(PointOfServiceDataCode("510101513344"))
        #expect(code[.cardInputMode] == "5")
        code[.cardInputMode] = "2"
        code[.cardPresence] = "xx"
        #expect("\(code)" == "510101213344")
        #expect(PointOfServiceDataCode("51010151334") == nil)
        var flags = PointOfServiceFlags()
        flags[.cardholderVerification] = 0x8000_0001
        #expect(flags.bytes == [0, 0, 0, 0, 0x80, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(PointOfServiceFlags(flags.bytes)?[.cardholderVerification] == 0x8000_0001)
        #expect(PointOfServiceFlags([1]) == nil)
    }

    private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    @Test func `field 7 has no year and takes the nearest one`() throws {
        let december = try time("2026-12-31T23:59:58Z")
        #expect(MessageDates.transmission(december) == "1231235958")
        let january = try time("2027-01-01T00:00:05Z")
        #expect(MessageDates.transmission("1231235958", near: january) == december)
        #expect(MessageDates.transmission("0101000005", near: december) == january)
        #expect(
            try MessageDates.transmission("0229120000", near: time("2028-03-01T00:00:00Z"))
                == time("2028-02-29T12:00:00Z"))
        for wrong in ["1331000000", "0230000000", "0101240000", "0101006000", "010100000", "01010000xx"] {
            #expect(MessageDates.transmission(wrong, near: january) == nil)
        }
    }

    @Test func `fields 12 and 13 have the local time`() {
        let date = CivilDate(year: 2026, month: 11, day: 23, hour: 2, minute: 18, second: 5)
        let now = CivilDate(year: 2026, month: 11, day: 24)
        for version in MessageVersion.allCases {
            #expect(MessageDates.local(MessageDates.local(date, version), version, near: now) == date)
        }
        #expect(MessageDates.local(date, .v1987) == .init(field12: "021805", field13: "1123"))
        #expect(MessageDates.local(date, .v1993).field12 == "261123021805")
        #expect(MessageDates.local(date, .v2003).field12 == "20261123021805")
        let old = MessageDates.LocalTime(field12: "991231235959")
        #expect(MessageDates.local(old, .v1993, near: now)?.year == 1999)
        #expect(MessageDates.local(.init(field12: "256199", field13: "1123"), .v1987, near: now) == nil)
        #expect(MessageDates.local(.init(field12: "021805"), .v1987, near: now) == nil)
    }

    @Test func `the answer's type is one function higher and no repeat`() throws {
        let pairs = [
            "0200": "0210", "0201": "0210", "0420": "0430", "0421": "0430", "0800": "0810", "1804": "1814",
            "1805": "1814", "0222": "0232",
        ]
        for (request, answer) in pairs {
            let type = try #require(MessageType(request))
            #expect(type.answer?.description == answer)
            #expect(type.answer?.answer == nil)
            #expect(type.repeated.isRepeat && type.repeated.original == type.original)
        }
        for wrong in ["0219", "0006", "02", "02000", "02x0", "0900", "٠٢٠٠", ""] { #expect(MessageType(wrong) == nil) }
        #expect(try #require(MessageType("0421")).words == "reversal advice, repeat")
    }

    @Test func `an answer is matched by type, trace number, and terminal`() throws {
        let (request, answer) = (try Vector.numbered(9).message, try Vector.numbered(10).message)
        let fields = Dialects.text.matching.key
        let key = try #require(MessageKey(request: request, fields: fields))
        #expect(key == MessageKey(answer: answer, fields: fields))
        #expect("\(key)" == "0210 000005 TERM0001")
        #expect(MessageKey(request: answer, fields: fields) == nil)
        #expect(MessageKey(answer: request, fields: fields) == nil)
        var other = answer
        other.set(41, "TERM0002")
        #expect(key != MessageKey(answer: other, fields: fields))
        other.set(41, "TERM1   ")
        var padded = request
        padded.set(41, "TERM1")
        #expect(MessageKey(answer: other, fields: fields) == MessageKey(request: padded, fields: fields))
        // Field 7 of this answer is its own.
        #expect(Dialects.text.matching.differences(between: request, and: answer) == [7])
        var form = try #require(Dialects.text.messages[.reversal])
        form.answer = try #require(MessageType("0410"))
        let reversal = try #require(MessageKey(request: try Vector.numbered(18).message, form: form, fields: fields))
        #expect("\(reversal)" == "0410 000004 TERM0001")
    }
}
