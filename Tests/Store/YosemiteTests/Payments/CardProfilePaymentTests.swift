import EMV
import Hardware
import Money
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

/// Every card that comes with the simulator, from the person's hand to the records.
@Suite(.simulatedTime) struct CardProfilePaymentTests {
    private static let cardModels: [SimulatedReaderModel] = [.tpdu, .shortAPDU, .extendedAPDU]

    @Test(arguments: [
        "visa-credit", "mastercard-credit", "t1-card", "aes-card", "issuer-script", "pin-required",
        "pin-enciphered", "online-pin", "multi-application",
    ])
    func `a card that the issuer approves is captured with a TC and charged once`(card: String) async throws {
        let till = try TestTill(card)
        let payment = try await till.pay("12.50")
        #expect(payment.outcome == .approved)
        #expect(payment.state == .captured)
        #expect(payment.amount.minorUnits == 1250)
        #expect(payment.card?.cryptogramType == "TC")
        #expect(payment.card?.authorizationResponseCode == "00")
        #expect(payment.card?.authorizationCode?.count == 6)
        #expect(payment.card?.hostReference?.count == 12)
        #expect(payment.errorCode == nil)
        #expect(try await till.charged() == 1250)
        #expect(try await till.booksAgree())
        #expect(try await till.story(payment) == [["created", "authorizing", "captured"]])
        #expect(till.events.last == .cardRemovedAfterClientSidePaymentCapture)
    }

    @Test(arguments: CardProfileLibrary.names)
    func `every reader model has the same exchanges with a card`(card: String) async throws {
        var traces: Set<[String]> = []
        var outcomes: Set<Payment.Outcome> = []
        for model in Self.cardModels {
            let till = try TestTill(card) { $0.model = model }
            outcomes.insert(try await till.pay().outcome)
            traces.insert(till.traceLines)
            #expect(try await till.booksAgree())
        }
        #expect(traces.count == 1)
        #expect(outcomes.count == 1)
    }

    @Test func `an account without funds is declined with 51`() async throws {
        let till = try TestTill("insufficient-funds")
        let payment = try await till.pay("12.50")
        #expect(payment.outcome == .declined)
        #expect(payment.errorCode == "declined_by_host")
        #expect(payment.errorMessage == "declined: insufficient funds")
        #expect(payment.card?.authorizationResponseCode == "51")
        #expect(payment.card?.cryptogramType == "AAC")
        #expect(try await till.charged() == 0)
        #expect(try await till.story(payment) == [["created", "authorizing", "declined"]])
    }

    @Test func `an offline decline is not sent to the host`() async throws {
        let till = try TestTill("declined-offline")
        let payment = try await till.pay()
        #expect(payment.outcome == .declined)
        #expect(payment.errorCode == "declined_by_card")
        #expect(payment.card?.cryptogramType == "AAC")
        #expect(try await till.issuer.ledger().entries.isEmpty)
        #expect(try await till.story(payment) == [["created", "declined"]])
    }

    @Test(arguments: [
        ("mute", "card_not_read"), ("bad-atr", "card_not_read"),
    ])
    func `an unusable card fails, and nothing is sent`(card: String, code: String) async throws {
        let till = try TestTill(card)
        let payment = try await till.pay()
        #expect(payment.outcome == .failed)
        #expect(payment.errorCode == code)
        #expect(payment.card == nil)
        #expect(try await till.issuer.ledger().entries.isEmpty)
        #expect(try await till.story(payment) == [["created", "failed"]])
    }

    @Test func `a card whose application is blocked is declined, and nothing is sent`() async throws {
        let till = try TestTill("blocked-application")
        let payment = try await till.pay()
        #expect(payment.outcome == .declined)
        #expect(payment.errorCode == "declined_by_card")
        #expect(try await till.issuer.ledger().entries.isEmpty)
        #expect(try await till.story(payment) == [["created", "declined"]])
    }

    @Test func `a partial approval is reversed`() async throws {
        let till = try TestTill { $0.change = { $0.account.responseCode = "10" } }
        let payment = try await till.pay()
        #expect(payment.outcome == .declined)
        #expect(payment.state == .reversed)
        #expect(try await till.charged() == 0)
        #expect(try await till.booksAgree())
    }

    // MARK: PIN

    @Test func `the card verifies the correct PIN`() async throws {
        let till = try TestTill("pin-required")
        let payment = try await till.pay()
        #expect(payment.card?.cardholderVerification == .offlinePIN)
        #expect(payment.outcome == .approved)
    }

    @Test func `a wrong PIN followed by the correct one is approved`() async throws {
        let till = try TestTill("pin-required") {
            $0.change = {
                $0.cardholder.pinEntries = [.digits(SealedBytes([9, 9, 9, 9])), .digits(SealedBytes([1, 2, 3, 4]))]
            }
        }
        let payment = try await till.pay()
        #expect(payment.outcome == .approved)
        #expect(payment.card?.cardholderVerification == .offlinePIN)
        let prompts = till.events.compactMap { event in
            if case .kernel(.enteringPIN(let prompt)) = event { prompt } else { nil }
        }
        #expect(prompts.map(\.isRetry) == [false, true])
        #expect(prompts.map(\.triesLeft) == [3, 2])
    }

    @Test func `three wrong PINs block the PIN, and the payment is not approved`() async throws {
        let till = try TestTill("pin-required") {
            $0.change = { $0.cardholder.pinEntries = [.digits(SealedBytes([9, 9, 9, 9]))] }
        }
        let payment = try await till.pay()
        #expect(payment.card?.cardholderVerification == .failed)
        #expect(payment.outcome == .declined)
        #expect(payment.errorMessage == "declined: too many wrong PINs")
        // Cardholder verification was not successful, PIN try limit exceeded.
        let results = try #require(UInt64(payment.card?.terminalVerificationResults ?? "", radix: 16))
        #expect(results & 0x00_00A0_0000 == 0x00_00A0_0000)
        #expect(try await till.booksAgree())
    }

    @Test func `a wrong PIN without another one is a decline with the card and the tries left`() async throws {
        let till = try TestTill("pin-required") {
            $0.change = { $0.cardholder.pinEntries = [.digits(SealedBytes([9, 9, 9, 9])), .canceled] }
        }
        let payment = try await till.pay()
        #expect(payment.outcome == .declined && payment.errorCode == "wrong_pin")
        #expect(payment.errorMessage == "declined: wrong PIN, 2 tries left")
        #expect(payment.card?.pinTriesLeft == 2 && payment.card?.lastFour?.count == 4)
        #expect(try await till.issuer.ledger().entries.isEmpty)
        #expect(try await till.story(payment) == [["created", "declined"]])
    }

    @Test func `a bypassed PIN is not verified`() async throws {
        let till = try TestTill("pin-required") { $0.change = { $0.cardholder.pinEntries = [.bypassed] } }
        let payment = try await till.pay()
        #expect(payment.card?.cardholderVerification == .failed)
        #expect(payment.errorMessage == "declined: the issuer asks for the PIN")
        let results = try #require(UInt64(payment.card?.terminalVerificationResults ?? "", radix: 16))
        #expect(results & 0x00_0008_0000 != 0)
        #expect(try await till.booksAgree())
    }

    @Test func `canceling PIN entry ends the payment before authorization`() async throws {
        let till = try TestTill("pin-required") { $0.change = { $0.cardholder.pinEntries = [.canceled] } }
        let payment = try await till.pay()
        #expect(payment.outcome == .canceled)
        #expect(try await till.issuer.ledger().entries.isEmpty)
    }

    @Test func `the issuer declines a wrong online PIN with 55`() async throws {
        let till = try TestTill("online-pin") {
            $0.change = { $0.cardholder.pinEntries = [.digits(SealedBytes([9, 9, 9, 9]))] }
        }
        let payment = try await till.pay()
        #expect(payment.outcome == .declined)
        #expect(payment.card?.authorizationResponseCode == "55")
        #expect(payment.card?.cardholderVerification == .failed)
        #expect(payment.errorMessage == "declined: wrong PIN")
        #expect(try await till.charged() == 0)
    }

    // MARK: Choice, scripts, offline

    @Test(arguments: [(0, "A0000000031010", "Crédit"), (1, "A0000000032010", "VISA ELECTRON")])
    func `the selected application is used`(choice: Int, aid: String, name: String) async throws {
        let till = try TestTill("multi-application") { $0.change = { $0.cardholder.chosenApplication = choice } }
        let payment = try await till.pay()
        #expect(payment.card?.aid == aid)
        #expect(payment.card?.applicationName == name)
        #expect(payment.outcome == .approved)
    }

    @Test func `a cardholder who selects no application cancels`() async throws {
        let till = try TestTill("multi-application") { $0.change = { $0.cardholder.chosenApplication = nil } }
        #expect(try await till.pay().outcome == .canceled)
        #expect(try await till.issuer.ledger().entries.isEmpty)
    }

    @Test func `issuer scripts are processed before and after the final cryptogram`() async throws {
        let till = try TestTill("issuer-script")
        let payment = try await till.pay()
        #expect(payment.outcome == .approved)
        #expect(till.events.contains(.kernel(.issuerScripts(beforeFinalCryptogram: true))))
        #expect(till.events.contains(.kernel(.issuerScripts(beforeFinalCryptogram: false))))
        // PIN UNBLOCK and PUT DATA, both with success.
        let scripts = till.traceLines.filter { $0.contains(#""c":"8424"#) || $0.contains(#""c":"84DA"#) }
        #expect(scripts.count == 2)
        #expect(scripts.allSatisfy { $0.hasSuffix(#""r":"9000"}"#) })
        // Script processing was performed.
        let information = try #require(UInt16(payment.card?.transactionStatusInformation ?? "", radix: 16))
        #expect(information & 0x0400 != 0)
    }

    @Test func `a payment that the card approves offline is captured by an advice`() async throws {
        let till = try TestTill("offline-approve") { $0.terminal = try .offlineCapable() }
        let payment = try await till.pay("12.50")
        #expect(payment.outcome == .approved)
        #expect(payment.card?.cryptogramType == "TC")
        #expect(payment.card?.authorizationResponseCode == "Y1")
        #expect(try await till.story(payment) == [["created", "authorized", "captured"]])
        #expect(try await till.issuer.ledger().entries.map(\.kind) == [.advice])
        #expect(try await till.charged() == 1250)
    }

    @Test func `an offline approval that could not be sent is sent once by recovery`() async throws {
        let till = try TestTill("offline-approve") {
            $0.terminal = try .offlineCapable()
            $0.faults = [IssuerFaultRule(.notReachable, times: 1)]
        }
        let payment = try await till.pay("12.50")
        #expect(payment.outcome == .approved)
        #expect(payment.state == .authorized)
        #expect(try await till.charged() == 0)
        let report = try await till.recover()
        #expect(report.finished.map(\.state) == [.captured])
        #expect(report.open.isEmpty)
        #expect(try await till.charged() == 1250)
        #expect(try await till.recover() == RecoveryReport())
        #expect(try await till.issuer.ledger().entries.count == 1)
    }

    @Test func `an offline approval whose advice got no response is charged once`() async throws {
        let till = try TestTill("offline-approve") {
            $0.terminal = try .offlineCapable()
            $0.faults = [IssuerFaultRule(.answerLost, times: 1)]
        }
        #expect(try await till.pay("12.50").state == .authorized)
        #expect(try await till.recover().finished.map(\.state) == [.captured])
        #expect(try await till.charged() == 1250)
        #expect(try await till.issuer.ledger().entries.map(\.kind) == [.advice])
    }

    // MARK: What terminal and card found out

    @Test(arguments: [
        ("visa-credit", "8000008000", "7800"), ("insufficient-funds", "8000008000", "7800"),
        ("pin-required", "8000008000", "7800"), ("online-pin", "8000048000", "7800"),
        ("declined-offline", "8000008000", "6800"),
    ])
    func `TVR and TSI match the transaction`(card: String, results: String, information: String) async throws {
        let payment = try await TestTill(card).pay()
        #expect(payment.card?.terminalVerificationResults == results)
        #expect(payment.card?.transactionStatusInformation == information)
    }
}
