import CardSecrets
import Determinism
import EMV
import Payments
import SimulatedTime
import Simulator
import Testing
import USB

/// The person at the simulated reader.
@Suite(.simulatedTime) struct SimulatedCardholderTests {
    private struct Scene {
        let clock = SimulationClock()
        let reader: SimulatedCCIDReader
        let person: SimulatedCardholder

        init(_ name: String = "visa-credit", pin: [UInt8]? = nil, _ change: (inout CardProfile) -> Void = { _ in })
            throws
        {
            var profile = try CardProfileLibrary.profile(name)
            change(&profile)
            let keys = try TestKeys.embedded()
            let random = SeededRandomSource(seed: 1)
            reader = SimulatedCCIDReader(model: .tpdu, clock: clock)
            person = SimulatedCardholder(
                profile: profile, card: try SimulatedEMVCard(profile: profile, keys: keys, random: random),
                reader: reader, clock: clock, pinPad: try SimulatedPINPad(keys: keys, random: random),
                pin: pin.map { SealedBytes($0) })
        }

        func wait(_ duration: Duration) async throws { try await clock.sleep(for: duration) }

        /// The digits typed, or a word.
        func typed(_ prompt: PINPrompt = PINPrompt(method: .offline, triesLeft: 3, isRetry: false)) async -> String {
            switch await person.enterPIN(prompt) {
            case .entered(let pin): pin.withUnsafeBytes { $0.map { String($0) }.joined() }
            case .bypassed: "bypassed"
            case .canceled: "cancelled"
            case .unavailable: "unavailable"
            }
        }
    }

    @Test func `the cardholder inserts the card after the prompt and the reaction time`() async throws {
        let scene = try Scene { $0.cardholder.insertsAfter = .seconds(3) }
        #expect(!scene.reader.hasCard())
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        try await scene.wait(.milliseconds(2999))
        #expect(!scene.reader.hasCard())
        try await scene.wait(.milliseconds(1))
        #expect(scene.reader.hasCard())
    }

    @Test func `the cardholder removes the card when prompted, and inserts it again the next time`() async throws {
        let scene = try Scene()
        for _ in 0..<3 {
            scene.person.observe(.present(canInsert: true, canSwipe: false))
            try await scene.wait(.milliseconds(1))
            #expect(scene.reader.hasCard())
            scene.person.observe(.remove)
            scene.person.observe(.remove)
            try await scene.wait(.seconds(1))
            #expect(!scene.reader.hasCard())
        }
        // Asked twice each time, they leave the next card alone.
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        try await scene.wait(.seconds(5))
        #expect(scene.reader.hasCard())
    }

    @Test func `a prompt while the card is in the reader does not keep the cardholder from the next one`()
        async throws
    {
        let scene = try Scene()
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        try await scene.wait(.milliseconds(1))
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        #expect(scene.reader.hasCard())
        scene.reader.removeCard()
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        try await scene.wait(.milliseconds(1))
        #expect(scene.reader.hasCard())
    }

    @Test func `a cardholder who leaves takes the card along, forgets what was planned, and can be asked anew`()
        async throws
    {
        let scene = try Scene { $0.cardholder.insertsAfter = .seconds(3) }
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        try await scene.wait(.seconds(3))
        #expect(scene.reader.hasCard())
        scene.person.observe(.remove)
        scene.person.leave()
        #expect(!scene.reader.hasCard())
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        try await scene.wait(.seconds(4))
        // The removal that was planned before is not this card's.
        #expect(scene.reader.hasCard())
        scene.person.leave()
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        scene.person.leave()
        try await scene.wait(.seconds(4))
        #expect(!scene.reader.hasCard())
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        try await scene.wait(.seconds(3))
        #expect(scene.reader.hasCard())
    }

    @Test func `an impatient cardholder removes the card after the given time`() async throws {
        let scene = try Scene { $0.cardholder.removesAfter = .seconds(2) }
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        try await scene.wait(.seconds(1))
        #expect(scene.reader.hasCard())
        try await scene.wait(.seconds(1))
        #expect(!scene.reader.hasCard())
    }

    @Test func `PIN entries are used in order, and the last one is repeated`() async throws {
        let scene = try Scene("pin-required") {
            $0.cardholder.pinEntries = [.digits(SealedBytes([9, 9, 9, 9])), .bypassed, .canceled]
        }
        #expect(await scene.typed() == "9999")
        #expect(await scene.typed() == "bypassed")
        #expect(await scene.typed() == "cancelled")
        #expect(await scene.typed() == "cancelled")
    }

    @Test func `a given PIN replaces the profile's`() async throws {
        let scene = try Scene("pin-required", pin: [5, 6, 7, 8])
        #expect(await scene.typed() == "5678")
    }

    @Test func `a cardholder without a PIN bypasses it`() async throws {
        let scene = try Scene { $0.cardholder.pinEntries = [] }
        #expect(await scene.typed() == "bypassed")
    }

    @Test func `the cardholder selects the application by AID, at any position`() async throws {
        let scene = try Scene("multi-application") { $0.cardholder.chosenApplication = 1 }
        let choices = [[0xA0, 0, 0, 0, 3, 0x20, 0x10], [0xA0, 0, 0, 0, 3, 0x10, 0x10]].map {
            ApplicationChoice(name: "", aid: $0.map { UInt8($0) }, priority: nil, needsConfirmation: false)
        }
        #expect(await scene.person.chooseApplication(choices) == 0)
        #expect(await scene.person.chooseApplication(choices.reversed()) == 1)
        #expect(await scene.person.chooseApplication([]) == nil)
    }

    @Test func `the cardholder chooses an account that is offered, otherwise the default account`() async throws {
        let scene = try Scene { $0.cardholder.chosenAccount = .checking }
        #expect(await scene.person.chooseAccountType([0x10, 0x20], languages: []) == 0x20)
        #expect(await scene.person.chooseAccountType([0x10], languages: ["de"]) == nil)
        #expect(await (try Scene()).person.chooseAccountType([0x10, 0x20], languages: []) == nil)
    }

    @Test func `PIN entry ends without input, and when the card is removed`() async throws {
        let scene = try Scene("pin-required") { $0.cardholder.pinEntries = [.nothing, .cardRemoved] }
        #expect(await scene.typed() == "cancelled")
        scene.person.observe(.present(canInsert: true, canSwipe: false))
        try await scene.wait(.milliseconds(1))
        #expect(scene.reader.hasCard())
        #expect(await scene.typed() == "cancelled")
        #expect(!scene.reader.hasCard())
    }
}
