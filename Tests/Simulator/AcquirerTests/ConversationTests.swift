import CardSecrets
import EMV
import ISO8583
import SimulatedTime
import Simulator
import SmartCard
import Testing

@testable import Acquirer

@Suite("A conversation with the simulated acquirer", .simulatedTime)
struct ConversationTests {
    @Test(arguments: MessageProfile.shippedNames)
    func `a client of every shipped profile signs on, sells, reverses, and signs off`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let codes = ResponseCodes.self
        let version = world.profile.version
        for kind in [MessageKind.signOn, .echo] {
            let answer = try await client.ask(try world.message(kind, 1))
            #expect(answer.type == world.profile.messages[kind]?.answer)
            #expect(answer.text(of: 39) == codes.text("00", answering: kind, version))
        }
        let sale = try world.sale(2)
        let answer = try await client.ask(sale)
        #expect(answer.text(of: 39) == codes.text("00", answering: .sale, version))
        #expect(world.profile.results.approved.contains(answer.text(of: 39) ?? ""))
        #expect(answer.text(of: 38)?.count == 6)
        #expect(answer.text(of: 37)?.count == 12)
        #expect(world.profile.matching.differences(between: sale, and: answer).isEmpty)
        #expect(answer.fields.contains(35) == false && answer.fields.contains(2) == false)
        for field in world.profile.matching.key + world.profile.matching.echoed where sale.fields.contains(field) {
            #expect(answer.bytes(of: field) == sale.bytes(of: field), "field \(field)")
        }
        let reversal = try world.reversal(of: sale, 3)
        let done = try await client.code(reversal)
        #expect(done == codes.text("00", answering: .reversal, version))
        #expect(world.profile.results.reversalDone.contains(done ?? ""))
        #expect(try await client.code(reversal.repeated) == done)
        _ = try await client.ask(try world.message(.signOff, 4))
        #expect(await world.book() == ["sale reversed 0", "reversal approved 0"])
        #expect(world.reports.map(\.isRepeat) == [false, false, false, false, true, false])
        let spent = try await world.acquirer.issuer.ledger().chargeCount
        #expect(spent == 0)
    }

    @Test func `the same message again gets the first answer, and another one with its key does not`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let sale = try world.sale(1)
        let first = try await client.ask(sale)
        #expect(try await client.ask(sale) == first)
        #expect(try await client.ask(sale.repeated) == first)
        #expect(try await world.client().ask(sale) == first)
        #expect(try await client.code(try world.sale(1, amount: 1300)) == "94")
        #expect(try await client.code(try world.sale(1, as: .authorization)) == "94")
        #expect(try await client.code(try world.sale(1, card: "stripe-pin")) == "94")
        #expect(await world.book().first == "sale approved 1250")
        #expect(try await world.acquirer.issuer.ledger().chargeCount == 1)
    }

    @Test func `two connections with the same sale at once move the money once`() async throws {
        let world = try AcquirerWorld()
        let sale = try world.sale(1)
        let (first, second) = (world.client(), world.client())
        async let one = first.ask(sale)
        async let other = second.ask(sale)
        let answers = try await [one, other]
        #expect(answers[0] == answers[1])
        #expect(await world.book() == ["sale approved 1250"])
    }

    @Test func `a chip card gets a proof, and a wrong or missing cryptogram is refused`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        func chip(_ number: Int, _ data: [UInt8]) throws -> ISOMessage {
            try world.message(.sale, number) { message in
                message.set(2, TestCards.pan)
                message.set(14, "3512")
                message.set(23, "001")
                message.set(55, bytes: data)
            }
        }
        let answer = try await client.ask(try chip(1, try world.cards.chipData()))
        #expect(answer.text(of: 39) == "00")
        let objects = try BERTLV.parse(try #require(answer.withBytes(of: 55) { [UInt8]($0) }))
        #expect(objects.first(0x8A)?.value == Array("00".utf8))
        #expect(objects.first(0x91)?.value.count == 10)
        #expect(try await client.ask(try chip(1, try world.cards.chipData())) == answer)
        #expect(try await client.code(try chip(2, try world.cards.chipData(counter: 2, isGenuine: false))) == "88")
        #expect(try await client.code(try chip(3, try world.cards.chipData(counter: 3, without: 0x9F36))) == "88")
        #expect(try await client.code(try chip(4, try world.cards.chipData())) == "88")
        #expect(try await client.code(try chip(5, [0x9F])) == "30")
        #expect(await world.acquirer.records.map(\.lastFour) == ["0010", "0010", "0010", "0010", "0010"])
    }

    @Test func `a card without chip data and track is not permitted, and wrong tracks are refused`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let keyed = try world.message(.sale, 1) { message in
            message.set(2, TestCards.pan)
            message.set(14, "3512")
        }
        #expect(try await client.code(keyed) == "58")
        #expect(try await client.code(try world.message(.sale, 2) { $0.set(35, "4761739001027014=3512101") }) == "82")
        #expect(try await client.code(try world.message(.sale, 3) { $0.set(35, "4761739001027015=3512101") }) == "14")
        #expect(try await client.code(try world.message(.sale, 4) { $0.set(35, "4111111111111111=3512101") }) == "14")
        #expect(try await client.code(try world.message(.sale, 5) { $0.set(35, "12=1") }) == "14")
        #expect(try await client.code(try world.sale(6, card: "stripe-wrong-cvv")) == "82")
        #expect(await world.acquirer.records.allSatisfy { $0.state == .declined && $0.moved == 0 })
    }

    @Test(arguments: ["iso93-ebcdic", "iso2003"])
    func `an enciphered PIN is checked, and needs its key serial number`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        func sale(_ number: Int, pin: String) throws -> ISOMessage {
            var sale = try world.sale(number, card: "stripe-pin")
            let block = try world.cards.pinBlock(pin, card: "stripe-pin", isAES: name == "iso2003")
            sale.set(52, bytes: block.block)
            sale.set(53, bytes: block.keySerialNumber)
            return sale
        }
        let version = world.profile.version
        #expect(try await client.code(try sale(1, pin: "1234")) == ResponseCodes.text("00", answering: .sale, version))
        #expect(try await client.code(try sale(2, pin: "4321")) == ResponseCodes.text("55", answering: nil, version))
        var bare = try sale(3, pin: "1234")
        bare.remove(53)
        #expect(try await client.code(bare) == ResponseCodes.text("99", answering: nil, version))
        let none = try world.sale(4, card: "stripe-pin")
        #expect(try await client.code(none) == ResponseCodes.text("70", answering: nil, version))
    }

    @Test(arguments: [("iso87-ascii", "51"), ("iso93-ebcdic", "116"), ("iso2003", "1016")])
    func `the rules of the issuer decide, in the code of the edition`(name: String, code: String) async throws {
        let world = try AcquirerWorld(name, rules: try IssuerRulesLibrary.rules("cents"))
        #expect(try await world.client().code(try world.sale(1, amount: 1251)) == code)
        #expect(world.reports.first?.meaning == "not sufficient funds")
    }

    @Test func `messages that the profile does not have, and fields that are missing, are refused`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        var unknown = ISOMessage(try #require(MessageType("0600")))
        unknown.set(11, "000001")
        let answer = try await client.ask(unknown)
        #expect(answer.type == MessageType("0610"))
        #expect(answer.text(of: 39) == "12")
        var sale = try world.sale(2)
        sale.remove(4)
        #expect(try await client.code(sale) == "30")
        #expect(try await client.code(try world.message(.sale, 3) { $0.set(12, "990000") }) == "30")
        #expect(try await client.code(try world.message(.sale, 4) { $0.set(49, "000") }) == "30")
        #expect(try await client.code(try world.message(.keyExchange, 5)) == "40")
        #expect(await world.acquirer.records.isEmpty)
        #expect(world.reports.map { $0.refusal ?? "" }.filter { !$0.isEmpty }.count == 4)
    }

    @Test func `a card number in the number of a terminal is not kept`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let sale = try world.message(.sale, 1) { message in
            message.set(2, TestCards.pan)
            message.set(42, TestCards.pan.prefix(15) + "")
            message.set(35, secret: try world.cards.track("stripe-only"))
        }
        _ = try await client.ask(sale)
        #expect(world.reports.first?.lastFour == "0010")
    }
}
