import EMV
import SmartCard
import Synchronization
import Testing

/// Cards that are pulled and tasks that are canceled, at every step.
struct InterruptionTests {
    private func removing(_ when: @escaping @Sendable (CommandAPDU, Int) -> Bool) -> TestCard {
        var profile = TestCard.Profile.standard()
        profile.removal = when
        return TestCard(profile)
    }

    @Test(arguments: [0xA4, 0xA8, 0xB2, 0xAE] as [UInt8])
    func `removing the card before authorization leaves nothing behind`(ins: UInt8) async throws {
        let kernel = TestKernel()
        let outcome = try await kernel.run(removing { command, _ in command.ins == ins })
        #expect(outcome.decision == .terminated(.channel(.cardRemoved)))
        #expect(!outcome.wasSentOnline && !outcome.isReversalRequired)
        #expect(kernel.issuer.requests.isEmpty)
    }

    @Test func `a card pulled after the issuer approved means a reversal`() async throws {
        let outcome = try await TestKernel().run(removing { $0.ins == 0xAE && $1 == 1 })
        #expect(outcome.decision == .terminated(.channel(.cardRemoved)))
        #expect(outcome.isReversalRequired && outcome.wasSentOnline)
        #expect(outcome.responseCode?.description == "00")
        #expect(outcome.authorizationCode == "123456")
    }

    @Test func `a card pulled after the issuer declined stays declined`() async throws {
        let outcome = try await TestKernel(issuer: TestIssuer(code: "05")).run(removing { $0.ins == 0xAE && $1 == 1 })
        #expect(outcome.decision == .declinedOnline)
        #expect(!outcome.isReversalRequired)
    }

    @Test func `a card pulled during issuer authentication or the first scripts means a reversal`() async throws {
        for ins: UInt8 in [0x82, 0x24] {
            let issuer = TestIssuer(
                code: "00", authenticationData: bytes("1122334455667788"), before: [tlv(0x86, "8424000000")])
            let outcome = try await TestKernel(issuer: issuer).run(removing { command, _ in command.ins == ins })
            #expect(outcome.decision == .terminated(.channel(.cardRemoved)))
            #expect(outcome.isReversalRequired)
        }
    }

    // EMV Book 3 annex E: a script that fails after the final cryptogram shows in the TVR and does not undo the
    // payment
    @Test func `a card pulled during the last scripts has paid`() async throws {
        let issuer = TestIssuer(code: "00", after: [tlv(0x86, "841E000000") + tlv(0x86, "8424000000")])
        let outcome = try await TestKernel(issuer: issuer).run(removing { command, _ in command.ins == 0x24 })
        #expect(outcome.decision == .approvedOnline)
        #expect(!outcome.isReversalRequired)
        #expect(outcome.verificationResults.contains(.scriptFailedAfterFinalCryptogram))
        #expect(outcome.scriptResults.map { $0.bytes.hexText } == ["1200000000"])
    }

    /// Runs a payment in a task that is canceled when the card gets command `number`.
    private func cancel(at number: Int) async throws -> (outcome: KernelOutcome, sent: Int) {
        let issuer = TestIssuer(code: "00")
        let task = Mutex<Task<KernelOutcome, any Error>?>(nil)
        let (started, start) = AsyncStream<Void>.makeStream()
        let seen = Recorder<Int>()
        var profile = TestCard.Profile.standard()
        profile.removal = { _, _ in
            seen.record(1)
            if seen.values.count == number { task.withLock { $0?.cancel() } }
            return false
        }
        let card = TestCard(profile)
        let kernel = TestKernel(terminal: try TestKernel.terminal(), issuer: issuer)
        let run = Task {
            for await _ in started { break }
            return try await kernel.run(card)
        }
        task.withLock { $0 = run }
        start.finish()
        return (try await run.value, issuer.requests.count)
    }

    @Test func `canceling stops the payment up to the first cryptogram, and not after it was sent`() async throws {
        // Directory, two SELECTs, GET PROCESSING OPTIONS, three records, and the two cryptograms.
        for number in 1...8 {
            let (outcome, sent) = try await cancel(at: number)
            #expect(outcome.decision == .canceled(.caller))
            #expect(!outcome.wasSentOnline && !outcome.isReversalRequired)
            #expect(sent == 0)
        }
        let (outcome, sent) = try await cancel(at: 9)
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.wasSentOnline)
        #expect(sent == 1)
    }

    @Test func `a payment canceled after the card's online request has no offline approval code`() async throws {
        var profile = TestCard.Profile.standard(TestKernel.permissiveIssuer)
        profile.first = { _ in 0x80 }
        profile.removal = { command, _ in
            if command.ins == 0xAE { withUnsafeCurrentTask { $0?.cancel() } }
            return false
        }
        let card = TestCard(profile)
        let kernel = TestKernel(terminal: try TestKernel.terminal(floorLimit: 10_000))
        let outcome = try await Task { try await kernel.run(card) }.value
        #expect(card.commands(0xAE).map(\.p1) == [0x40])
        #expect(outcome.decision == .canceled(.caller))
        #expect(outcome.responseCode == nil)
        #expect(kernel.issuer.requests.isEmpty)
    }

    @Test func `canceling during authorization does not undo the response`() async throws {
        let outcome = try await canceledOnline(
            .answered(IssuerAnswer(authorizationResponseCode: Array("00".utf8), authorizationCode: "000001")))
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.cryptogram?.type == .tc)
    }

    @Test func `canceling during authorization, without a response, never approves offline`() async throws {
        let outcome = try await canceledOnline(.unableToGoOnline)
        #expect(outcome.decision == .canceled(.caller))
        #expect(outcome.wasSentOnline)
        #expect(outcome.cryptogram?.type == .aac)
        #expect(outcome.responseCode?.description == "Z3")
    }

    private func canceledOnline(_ result: OnlineAuthorizationResult) async throws -> KernelOutcome {
        let issuer = TestIssuer(result) { withUnsafeCurrentTask { $0?.cancel() } }
        let codes = ActionCodes(denial: [], online: .offlineDataAuthenticationNotPerformed, default: [])
        let kernel = TestKernel(
            terminal: try TestKernel.terminal(floorLimit: 10_000, actionCodes: codes), issuer: issuer)
        return try await Task { try await kernel.run(TestCard(.standard(TestKernel.permissiveIssuer))) }.value
    }

    @Test(arguments: [
        CardChannelError.cardMute, .timedOut, .readerUnavailable("gone"), .protocolViolation("T=0"),
        .notSupported("extended"),
    ])
    func `a channel that fails is named in the outcome`(error: CardChannelError) async throws {
        struct Broken: CardChannel {
            let error: CardChannelError
            func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU { throw error }
        }
        let outcome = try await TestKernel().run(Broken(error: error))
        #expect(outcome.decision == .terminated(.channel(error)))
        #expect(!"\(KernelError.channel(error))".isEmpty)
    }
}
