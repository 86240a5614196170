import CardSecrets
import Cryptography
import EMV
import HostSecurity
import ISO8583
import SimulatedTime
import Simulator
import Testing

@testable import Acquirer

@Suite("MACs and keys at the simulated acquirer", .simulatedTime)
struct SealedConversationTests {
    private func world(
        _ name: String = "iso87-ascii", keys: HostKeys? = nil, faults: [AcquirerFault] = []
    ) throws -> AcquirerWorld {
        try AcquirerWorld(name, hostKeys: try keys ?? SealedHost.keys(), faults: faults, change: SealedHost.seal)
    }

    @Test(arguments: ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic"])
    func `a sale with its MAC is approved, and its reversal, and both answers have the right one`(
        name: String
    ) async throws {
        let world = try world(name)
        let (client, key) = (world.client(), try SealedHost.key("TAK", SealedHost.mac))
        let sale = try world.sale(1)
        let answer = try await client.ask(sale, sealedWith: key)
        let approved = ResponseCodes.text("00", answering: .sale, world.profile.version)
        #expect(answer.finding == .right && answer.answer.text(of: 39) == approved)
        // The same message again gets the first answer, and a repeat of the reversal, too.
        #expect(try await client.ask(sale, sealedWith: key).answer == answer.answer)
        let reversal = try world.reversal(of: sale, 2)
        let reversed = try await client.ask(reversal, sealedWith: key)
        #expect(reversed.finding == .right)
        let repeated = try await client.ask(reversal.repeated, sealedWith: key)
        #expect(repeated.answer.text(of: 39) == reversed.answer.text(of: 39) && repeated.finding == .right)
        #expect(await world.book() == ["sale reversed 0", "reversal approved 0"])
        // A sign-on has no MAC in this profile.
        #expect(try await client.code(try world.message(.signOn, 3)) != nil)
    }

    @Test(arguments: [("iso87-ascii", "98"), ("iso93-ebcdic", "916")])
    func `a wrong or missing MAC is refused in the code of the edition, and moves nothing`(
        name: String, code: String
    ) async throws {
        let world = try world(name)
        let (client, key) = (world.client(), try SealedHost.key("TAK", SealedHost.mac))
        let other = try SealedHost.key("TAK", SealedHost.master)
        let damaged = try await client.ask(try world.sale(1), sealedWith: key) { body in
            // The last digit of the amount.
            body[name == "iso87-ascii" ? 37 : 29] ^= 1
        }
        #expect(damaged.answer.text(of: 39) == code && damaged.finding == .right)
        let foreign = try await client.ask(try world.sale(2), sealedWith: other)
        #expect(foreign.answer.text(of: 39) == code && foreign.finding == .wrong)
        let bare = try await client.ask(try world.sale(3))
        #expect(bare.text(of: 39) == code)
        #expect(await world.acquirer.records.isEmpty)
        #expect(
            world.reports.compactMap(\.refusal) == ["the MAC is wrong", "the MAC is wrong", "the MAC is missing"])
    }

    @Test func `every changed byte of a sale is refused or is no message`() async throws {
        let key = try SealedHost.key("TAK", SealedHost.mac)
        let count = try world().profile.makeCodec().encode(try world().sale(1), hasMAC: true).bytes.count
        for place in stride(from: 0, to: count, by: 5) {
            let world = try world()
            _ = try? await world.client().ask(try world.sale(1), sealedWith: key) { $0[place] ^= 1 }
            #expect(await world.acquirer.records.isEmpty, "byte \(place)")
        }
    }

    @Test func `a fault makes the MAC of an answer wrong`() async throws {
        let world = try world(faults: [AcquirerFault(.wrongMAC, message: "sale", times: 1)])
        let (client, key) = (world.client(), try SealedHost.key("TAK", SealedHost.mac))
        #expect(try await client.ask(try world.sale(1), sealedWith: key).finding == .wrong)
        #expect(try await client.ask(try world.sale(2), sealedWith: key).finding == .right)
        #expect(try AcquirerFault("wrong-mac:sale:1").kind == .wrongMAC)
    }

    // MARK: Key exchange

    private func exchange(
        _ world: AcquirerWorld, _ client: AcquirerClient, _ number: Int, master: HostKeys
    ) async throws -> [HostKey] {
        let answer = try await client.ask(try world.message(.keyExchange, number))
        #expect(world.profile.version == .v1987 ? answer.text(of: 39) == "00" : answer.text(of: 39) == "800")
        return try await #require(SessionKeyField(world.profile, master)).read(answer)
    }

    @Test(arguments: ["iso87-ascii", "iso87-bcd-tpdu"])
    func `a terminal gets keys, and uses those before until it has used the new ones`(name: String) async throws {
        let master = try SealedHost.keys("TMK", SealedHost.master)
        let world = try world(name, keys: master)
        let client = world.client()
        func code(_ number: Int, _ key: HostKey) async throws -> String? {
            try await client.ask(try world.sale(number), sealedWith: key).answer.text(of: 39)
        }
        #expect(try await client.ask(try world.sale(1)).text(of: 39) == "98")
        #expect(world.reports.last?.refusal == "the terminal has no key for MACs")
        let first = try #require(try await exchange(world, client, 2, master: master).last)
        #expect(first.name == "TAK")
        #expect(try await code(3, first) == "00")
        let second = try #require(try await exchange(world, client, 4, master: master).last)
        #expect(try await code(5, first) == "00")
        #expect(try await code(6, second) == "00")
        #expect(try await code(7, first) == "98")
        // The keys of one terminal are none of another one.
        let stranger = try world.sale(8, terminal: "TERM0002")
        #expect(try await client.ask(stranger, sealedWith: second).answer.text(of: 39) == "98")
        #expect(await world.acquirer.records.count == 3)
    }

    @Test func `a PIN under the exchanged key is checked by the issuer`() async throws {
        let master = try SealedHost.keys("TMK", SealedHost.master)
        let world = try AcquirerWorld(hostKeys: master)
        let client = world.client()
        let keys = try await exchange(world, client, 1, master: master)
        let key = try #require(keys.first { $0.name == "TPK" })
        let form = try #require(SessionPINBlock(format: 0))
        func code(_ number: Int, _ pin: [UInt8], _ key: HostKey) async throws -> String? {
            var sale = try world.sale(number, card: "stripe-pin")
            guard let pan = try sale.primaryAccountNumber() else { return nil }
            sale.set(52, bytes: try await form.encipher(SensitiveBytes(pin), pan: pan, key: key, random: []))
            return try await client.code(sale)
        }
        #expect(try await code(2, [1, 2, 3, 4], key) == "00")
        #expect(try await code(3, [4, 3, 2, 1], key) == "55")
        #expect(try await code(4, [1, 2, 3, 4], try SealedHost.key("TPK", SealedHost.mac)) == "99")
        #expect(world.reports.last?.refusal == "the PIN block cannot be opened")
    }

    @Test func `a PIN under a base derivation key of the key file is checked`() async throws {
        let keys = try TestKeys.embedded()
        let base = keys.tripleDESBaseDerivationKey.withUnsafeBytes { SensitiveBytes($0) }
        let world = try AcquirerWorld("iso93-ebcdic", hostKeys: HostKeys([try HostKey("BDK", .tripleDES, base)]))
        let other = try AcquirerWorld("iso93-ebcdic", hostKeys: try SealedHost.keys("BDK", SealedHost.mac))
        for (world, code) in [(world, "000"), (other, "920")] {
            var sale = try world.sale(1, card: "stripe-pin")
            let block = try world.cards.pinBlock("1234", card: "stripe-pin", isAES: false)
            sale.set(52, bytes: block.block)
            sale.set(53, bytes: block.keySerialNumber)
            #expect(try await world.client().code(sale) == code)
        }
    }

    @Test func `without the keys of its profile the acquirer does not start`() throws {
        #expect(throws: AcquirerSetupError.keys("iso87-ascii", .noKeys(.authorization))) {
            _ = try AcquirerWorld(change: SealedHost.seal)
        }
        #expect(throws: AcquirerSetupError.keys("iso87-ascii", .missing("TMK", found: ["ZMK"]))) {
            _ = try AcquirerWorld(hostKeys: try SealedHost.keys("ZMK"), change: SealedHost.seal)
        }
    }
}
