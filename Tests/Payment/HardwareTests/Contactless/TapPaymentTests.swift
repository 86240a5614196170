import Determinism
import EMV
import EntryPoint
import Money
import SimulatedTime
import Simulator
import SmartCard
import Testing

@testable import Hardware
@testable import Payments

/// Payments with tapped cards, from the field to the host, beside a slot for chips.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct TapPaymentTests {
    // MARK: One payment, whichever card comes first

    @Test func `a tapped card pays, and the host learns that it was tapped`() async throws {
        let bench = try TapBench()
        let reader = try await bench.connect()
        #expect(reader.inputs == [.insert, .tap])
        let intent = try await bench.pay()
        #expect(bench.host.messages == ["authorize 07 0010"])
        #expect(intent.details.entryMode == .contactless && intent.details.lastFour == "0010")
        #expect(intent.details.brand == "visa" && intent.details.applicationName == "VISA CREDIT")
        #expect(intent.details.applicationTransactionCounter == 42 && intent.details.cryptogramType == "ARQC")
        #expect(intent.details.cardholderVerification == .none && intent.details.authorizationCode == "123456")
        #expect(bench.waits == [[.insert, .tap]])
        #expect(bench.events.contains(.cardTapped) && !bench.events.contains(.cardInserted))
        #expect(bench.messages == [0x15, 0x16, 0x17])
        #expect(!bench.field.isFieldOn())
        #expect(bench.script.activations.first?.data[0x9F39] == [0x07])
    }

    @Test func `an inserted card closes the field`() async throws {
        let bench = try TapBench(habit: .insert)
        try await bench.connect()
        let intent = try await bench.pay()
        #expect(intent.details.entryMode == .chip)
        #expect(bench.host.messages == ["authorize 05 0010"])
        #expect(!bench.events.contains(.cardTapped) && bench.script.activations.isEmpty)
        #expect(bench.messages == [0x15, 0x1E])
        #expect(!bench.field.isFieldOn())
        // The next program finds a reader that looks for cards.
        try await bench.service.disconnect()
        #expect(bench.field.isFieldOn())
    }

    @Test func `a card with contacts only is asked to be inserted, and pays then`() async throws {
        let bench = try TapBench(habit: .tap, hasContactlessCard: false)
        try await bench.connect()
        let intent = try await bench.pay()
        #expect(intent.details.entryMode == .chip)
        #expect(bench.waits == [[.insert, .tap], .insert])
        #expect(bench.messages == [0x15, 0x1C])
        #expect(bench.host.messages == ["authorize 05 0010"])
    }

    @Test func `without a slot for chips, such a card ends the payment with the request to insert it`() async throws {
        let bench = try TapBench(.contactless, hasContactlessCard: false)
        #expect(try await bench.connect().inputs == .tap)
        #expect(try await bench.fail() == .paymentMethodCollection(.tappedCardNeedsContacts))
        #expect(bench.host.messages.isEmpty && bench.messages == [0x15, 0x1C])
    }

    @Test func `an amount above the limit is not tapped`() async throws {
        let bench = try TapBench(limits: { currency in
            try ContactlessLimits(transaction: try Money(minorUnits: 1000, currency: currency))
        })
        try await bench.connect()
        #expect(try await bench.pay().details.entryMode == .chip)
        #expect(bench.waits == [.insert] && bench.messages == [0x18])
    }

    @Test(arguments: [("USD", Int64(5000)), ("JPY", 50), ("KWD", 50_000)])
    func `a standard terminal sends every amount to the host, and verifies the cardholder from fifty units on`(
        code: String, limit: Int64
    ) throws {
        let terminal = ContactlessTerminal.standard(kernels: KernelRegistry()) { settings in
            [0xDF01: [UInt8(settings.floorLimit), UInt8(clamping: settings.verificationLimit)]]
        }
        let configuration = try #require(terminal.configuration(try Currency(code: code), .standard))
        let combinations = try #require(configuration.combinations[.goodsOrServices])
        #expect(combinations.map(\.aid) == TerminalConfiguration.standard.applications.map(\.aid))
        for combination in combinations {
            #expect(combination.kernel == .kernel8 && combination.limits.floor?.minorUnits == 0)
            #expect(combination.limits.cvmRequired?.minorUnits == limit && combination.limits.transaction == nil)
            #expect(combination.kernelData == [0xDF01: [0, UInt8(clamping: limit)]])
        }
    }

    // MARK: Outcomes

    @Test func `a kernel that wants another interface gets the chip`() async throws {
        let wish = ContactlessOutcome(
            .tryAnotherInterface, uiOnOutcome: UserInterfaceRequest(.insertCard, .processingError),
            alternateInterface: .contactChip)
        let bench = try TapBench(outcomes: [wish])
        try await bench.connect()
        #expect(try await bench.pay().details.entryMode == .chip)
        #expect(bench.messages.contains(0x1D) && bench.host.messages == ["authorize 05 0010"])
    }

    @Test func `a phone is tapped a second time after its owner was verified`() async throws {
        let phone = ContactlessOutcome(
            .endApplication, start: .b, uiOnOutcome: UserInterfaceRequest(.seePhone, .processing),
            uiOnRestart: UserInterfaceRequest(.presentCardAgain, .readyToRead), fieldOff: .milliseconds(1300))
        let bench = try TapBench(outcomes: [phone, .online(cvm: .confirmationCodeVerified)])
        try await bench.connect()
        #expect(try await bench.pay().details.cardholderVerification == .device)
        #expect(bench.script.activations.map(\.isRestart) == [false, true])
        #expect(bench.messages == [0x15, 0x16, 0x20, 0x21, 0x16, 0x17])
        #expect(bench.host.messages == ["authorize 07 0010"])
    }

    @Test func `a message stays for its hold time before the next one is shown`() async throws {
        var held = UserInterfaceRequest(.seePhone, .processing)
        held.holdTime = .seconds(3)
        let bench = try TapBench(outcomes: [ContactlessOutcome(.tryAgain, uiOnOutcome: held)])
        try await bench.connect()
        _ = try await bench.pay()
        #expect(bench.messages == [0x15, 0x16, 0x20, 0x15, 0x16, 0x17])
    }

    @Test func `an offline approval and a decline are the card's`() async throws {
        let approval = try TapBench(outcomes: [
            ContactlessOutcome(.approved, cvm: .noCVM, dataRecord: TapCard.record(results: [0, 0, 0, 0, 0x81]))
        ])
        try await approval.connect()
        let intent = try await approval.pay()
        #expect(intent.details.authorizationResponseCode == "Y1" && approval.host.messages.isEmpty)
        #expect(intent.advice?.purpose == .offlineApproval && intent.advice?.subject.entryMode == .contactless)
        let decline = try TapBench(outcomes: [ContactlessOutcome(.declined, dataRecord: TapCard.record)])
        try await decline.connect()
        guard case .paymentCaptureWithPaymentMethod(let error, let details) = try await decline.fail() else {
            Issue.record("not declined")
            return
        }
        #expect(error == .paymentDeclinedByCardReader(.declinedByCard) && details.entryMode == .contactless)
        #expect(decline.host.messages.isEmpty)
    }

    @Test func `data for the host that can't be read is not sent`() async throws {
        for bytes: [UInt8] in [[], [0x5A, 0x08, 0x47], [0x5A, 0x02, 0xAA, 0xAA]] {
            var outcome = ContactlessOutcome.online()
            outcome.dataRecord = SecretDataObject(bytes)
            let bench = try TapBench(outcomes: [outcome])
            try await bench.connect()
            guard case .paymentMethodCollection(.cardTapNotRead) = try await bench.fail() else {
                Issue.record("not refused")
                continue
            }
            #expect(bench.host.messages.isEmpty)
        }
    }

    // MARK: The host

    @Test func `the PIN is asked for after the tap, and sent`() async throws {
        let bench = try TapBench(
            outcomes: [.online(cvm: .onlinePIN)], pin: SealedBytes([1, 2, 3, 4]))
        try await bench.connect()
        let intent = try await bench.pay()
        #expect(intent.details.cardholderVerification == .onlinePIN)
        #expect(bench.host.messages == ["authorize 07 0010 PIN"])
    }

    @Test(arguments: [("51", false), ("65", true), ("1A", true)])
    func `a decline that asks for the chip says so`(code: String, asksForChip: Bool) async throws {
        let bench = try TapBench(answer: code)
        try await bench.connect()
        guard case .paymentCaptureWithPaymentMethod(let error, _) = try await bench.fail() else {
            Issue.record("not declined")
            return
        }
        #expect(error == .paymentDeclinedByPaymentProcessorAPI(DeclineReason(responseCode: code)))
        #expect(bench.messages.contains(0x1D) == asksForChip)
        #expect(bench.host.messages == ["authorize 07 0010"])
    }

    @Test func `a host that does not answer is taken back, with the card's data`() async throws {
        let bench = try TapBench(failure: .outcomeUnknown("no answer"))
        try await bench.connect()
        guard case .paymentCaptureWithPaymentMethod(.requestTimedOut, _) = try await bench.fail() else {
            Issue.record("not taken back")
            return
        }
        // 9F26, 9F27, 9F36, 84, and 5F34.
        #expect(bench.host.messages == ["authorize 07 0010", "reverse timeout 5"])
    }

    @Test func `a card that declines after the host's approval is reversed`() async throws {
        let bench = try TapBench(outcomes: [
            .online(start: .b, onlineResponseData: .any), ContactlessOutcome(.declined, dataRecord: TapCard.record),
        ])
        try await bench.connect()
        guard case .paymentCaptureWithPaymentMethod(let error, _) = try await bench.fail() else {
            Issue.record("not declined")
            return
        }
        #expect(error == .paymentDeclinedByCardReader(.declinedByCard))
        #expect(bench.host.messages == ["authorize 07 0010", "reverse cardDeclined 5"])
        #expect(bench.script.activations.last?.onlineResponse != nil)
    }

    @Test func `the host is asked once, whatever the kernel wants`() async throws {
        let again = ContactlessOutcome.online(start: .b, onlineResponseData: .any)
        let bench = try TapBench(outcomes: [again, again, again])
        try await bench.connect()
        #expect(try await bench.pay().details.authorizationResponseCode == "00")
        #expect(bench.host.messages == ["authorize 07 0010"])
    }

    // MARK: The field

    @Test(arguments: 1...3)
    func `a card that is moved away at any exchange pays when it is back`(number: Int) async throws {
        let bench = try TapBench()
        try await bench.connect()
        bench.field.arm(
            .movedAway(atExchange: number, noticedAfter: .milliseconds(1500), backAfter: .milliseconds(600)))
        #expect(try await bench.pay().details.entryMode == .contactless)
        #expect(bench.host.messages == ["authorize 07 0010"])
        #expect(bench.script.failures == (number == 3 ? [.cardMute] : []))
    }

    @Test func `a card that stays away leaves the payment unpaid, and nothing was sent`() async throws {
        let bench = try TapBench()
        try await bench.connect()
        bench.field.arm(.movedAway(atExchange: 2, noticedAfter: .milliseconds(900), backAfter: nil))
        #expect(try await bench.fail(timeout: .seconds(10)) == .paymentMethodCollection(.cardReadTimeOut))
        #expect(bench.host.messages.isEmpty)
    }

    @Test func `of two cards none is chosen, and the one that stays pays`() async throws {
        let bench = try TapBench()
        try await bench.connect()
        bench.field.arm(.severalCards(isTold: true))
        bench.clock.schedule(after: .seconds(5)) { [field = bench.field] in field.arm(.oneCardLeft) }
        #expect(try await bench.pay().details.entryMode == .contactless)
        #expect(bench.messages == [0x15, 0x19, 0x19, 0x16, 0x17])
        #expect(bench.host.messages == ["authorize 07 0010"])
    }

    @Test func `a card that lies in the field after a payment is not charged for the next customer`() async throws {
        var silent = ContactlessOutcome.online()
        silent.uiOnOutcome = nil
        let bench = try TapBench(outcomes: [silent, silent])
        try await bench.connect()
        _ = try await bench.pay("attempt-1")
        #expect(bench.field.hasCard())
        let before = bench.events.count
        _ = try await bench.pay("attempt-2")
        let events = bench.events.dropFirst(before)
        let asked = try #require(events.firstIndex(of: .removeCardRequested))
        let tapped = try #require(events.firstIndex(of: .cardTapped))
        #expect(asked < tapped)
    }

    @Test func `a canceled wait switches the field off, and sends nothing`() async throws {
        let bench = try TapBench(hasContactlessCard: true)
        try await bench.connect()
        bench.field.arm(.severalCards(isTold: false))
        let payment = Task { try await bench.fail() }
        try await bench.clock.sleep(for: .seconds(2))
        payment.cancel()
        #expect(try await payment.value == .paymentMethodCollection(.commandCanceled(from: .app)))
        #expect(bench.host.messages.isEmpty)
    }
}
