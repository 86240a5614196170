import Amounts
import CardSecrets
import Determinism
import EMV
import Foundation
import Glibc
import Hardware
import Simulator
import SmartCard
import Testing

/// The simulated card behind pcscd and its virtual reader, where every PC/SC program finds it.
@Suite("A simulated card in pcscd", .serialized)
struct PCSCTests {
    private let scratch: Scratch
    private let reader: VirtualReader

    init() throws {
        scratch = try Scratch()
        reader = try VirtualReader()
        setenv("PCSCLITE_CSOCK_NAME", reader.environment["PCSCLITE_CSOCK_NAME"] ?? "", 1)
    }

    private func card(_ profile: String, _ more: [String] = []) throws -> Child {
        try Child(["simulate", "card", profile, "--vpcd", reader.address, "--json"] + more, in: scratch)
    }

    private func openSCTool(_ arguments: [String]) throws -> ProgramResult {
        try #require(
            FileManager.default.isExecutableFile(atPath: "/usr/bin/opensc-tool"), "opensc is missing: run Scripts/setup"
        )
        return try Child(
            program: "/usr/bin/opensc-tool", arguments, in: scratch, environment: reader.environment
        ).result()
    }

    @Test(arguments: [
        (card: "visa-credit", atr: "3b:60:00:00", label: "VISA CREDIT"),
        (card: "t1-card", atr: "3b:e0:00:00:81:31:fe:45:eb", label: "VISA CREDIT"),
    ])
    func `opensc-tool sees the answer to reset and selects the application`(
        card: String, atr: String, label: String
    ) async throws {
        let child = try self.card(card)
        _ = try await PCSCCard.connect()
        let shown = try openSCTool(
            [
                "-r", "0", "-c", "default", "-a", "-s", "00A4040007A000000003101000", "-s",
                "00A404000AFFFFFFFFFFFFFFFFFFFF00",
            ])
        #expect(shown.status == 0, "\(shown.error)")
        #expect(shown.output.hasPrefix(atr + "\n"))
        #expect(shown.output.contains("(SW1=0x90, SW2=0x00):\n6F "))
        #expect(shown.output.contains("(SW1=0x6A, SW2=0x82)"))
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
        try await PCSCCard.waitUntilGone()
        let emptied = try openSCTool(["-l"])
        #expect(emptied.output.contains("No              \(PCSCCard.readerName)"), "\(emptied.output)")
    }

    @Test(arguments: ["visa-credit", "t1-card", "mastercard-credit"])
    func `the kernel makes a whole payment with it through PC/SC, and the issuer approves`(name: String) async throws {
        let child = try card(name, ["--trace", scratch.file("trace"), "--seed", "7"])
        let channel = try await PCSCCard.connect()
        #expect(channel.isT1 == (name == "t1-card"))
        let outcome = try await Terminal(profile: name).pay(with: channel)
        #expect(outcome.decision == .approvedOnline, "\(outcome)")
        #expect(outcome.cryptogram?.type == .tc)
        child.send(SIGINT)
        #expect(try child.result().status == 0)
        let trace = try scratch.text("trace")
        #expect(trace.contains(#"{"c":"80AE80"#) && trace.contains(#"{"c":"80AE40"#))
        for pan in ["4761739001010010", "4761739001010085", "5413330089010012"] { #expect(!trace.contains(pan)) }
    }

    @Test func `in T=0 the program sees 61xx and 6Cxx, as behind a reader that leaves them to it`() async throws {
        let child = try card("visa-credit")
        let channel = try await PCSCCard.connect()
        let select: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]
        let announced = try await channel.exchange(select)
        #expect(announced.count == 2 && announced[0] == 0x61)
        let fetched = try await channel.exchange([0x00, 0xC0, 0x00, 0x00, announced[1]])
        #expect(fetched.count == Int(announced[1]) + 2 && fetched.suffix(2) == [0x90, 0x00])
        _ = try await channel.exchange([0x80, 0xA8, 0x00, 0x00, 0x02, 0x83, 0x00])
        let corrected = try await channel.exchange([0x00, 0xB2, 0x01, 0x0C, 0x00])
        #expect(corrected.count == 2 && corrected[0] == 0x6C)
        let record = try await channel.exchange([0x00, 0xB2, 0x01, 0x0C, corrected[1]])
        #expect(record.count == Int(corrected[1]) + 2)
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `a card that is mute stays out of the reader, and pcscd goes on`() throws {
        let child = try card("mute")
        #expect(child.wait { child.output.contains("the card does not answer") })
        let shown = try openSCTool(["-l"])
        #expect(shown.output.contains("No              \(PCSCCard.readerName)"), "\(shown.output)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }
}

/// A terminal of ours, with the issuer of one card.
private struct Terminal: CardholderInterface, OnlineAuthorizer {
    private static let date = CivilDate(year: 2026, month: 1, day: 2, hour: 12)

    private let issuer: SimulatedIssuer
    private let keys: TestKeys
    private let amount: Money

    init(profile name: String) throws {
        keys = try TestKeys.embedded()
        amount = try Money(minorUnits: 1250, currency: Currency(code: "USD"))
        issuer = try SimulatedIssuer(
            accounts: CardProfileLibrary.profile(name).issuerAccounts(keys: keys), keys: keys,
            time: VirtualTimeSource(), random: SeededRandomSource(seed: 1))
    }

    func pay(with card: any CardChannel) async throws -> KernelOutcome {
        let standard = TerminalConfiguration.standard
        let authorities = try Set(standard.applications.map { Array($0.aid.prefix(5)) }).map {
            try keys.certificationAuthorityPublicKey(rid: $0)
        }
        let kernel = ContactKernel(
            terminal: standard.adding(certificationAuthorityKeys: authorities), cardholder: self, authorizer: self,
            random: SeededRandomSource(seed: 1))
        return await kernel.run(
            TransactionRequest(
                amount: amount, cashback: nil, kind: .goodsOrServices, date: Self.date, sequenceCounter: 1,
                forcedOnline: false),
            on: card)
    }

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { 0 }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .unavailable }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? { nil }

    func authorize(_ request: consuming OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
        let message = AuthorizationRequest(
            key: IdempotencyKey(rawValue: "payment"), stan: 1, amount: amount, date: Self.date, card: .chip(request))
        do throws(PaymentHostError) { return .answered(try await issuer.authorize(message).answer) } catch {
            return .unableToGoOnline
        }
    }
}
