import CardSecrets
import Determinism
import EMV
import Hardware
import Simulator
import Testing
import USB

/// The person at the simulated reader.
@Suite struct SimulatedCardholderTests {
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
            case .cancelled: "cancelled"
            case .unavailable: "unavailable"
            }
        }
    }

    @Test func `they insert the card when they are asked, after their time`() async throws {
        let scene = try Scene { $0.cardholder.insertsAfter = .seconds(3) }
        #expect(!scene.reader.hasCard())
        scene.person.observe(.waitingForInput(.insert))
        scene.person.observe(.waitingForInput(.insert))
        try await scene.wait(.milliseconds(2999))
        #expect(!scene.reader.hasCard())
        try await scene.wait(.milliseconds(1))
        #expect(scene.reader.hasCard())
    }

    @Test func `they take it out when they are asked, and put it in again the next time`() async throws {
        let scene = try Scene()
        for _ in 0..<3 {
            scene.person.observe(.waitingForInput(.insert))
            try await scene.wait(.milliseconds(1))
            #expect(scene.reader.hasCard())
            scene.person.observe(.removeCardRequested)
            scene.person.observe(.removeCardRequested)
            try await scene.wait(.seconds(1))
            #expect(!scene.reader.hasCard())
        }
        // Asked twice each time, they leave the next card alone.
        scene.person.observe(.waitingForInput(.insert))
        try await scene.wait(.seconds(5))
        #expect(scene.reader.hasCard())
    }

    @Test func `the impatient pull the card out after their time`() async throws {
        let scene = try Scene { $0.cardholder.removesAfter = .seconds(2) }
        scene.person.observe(.waitingForInput(.insert))
        try await scene.wait(.seconds(1))
        #expect(scene.reader.hasCard())
        try await scene.wait(.seconds(1))
        #expect(!scene.reader.hasCard())
    }

    @Test func `PIN entries come in their order, the last one again`() async throws {
        let scene = try Scene("pin-required") {
            $0.cardholder.pinEntries = [.digits(SealedBytes([9, 9, 9, 9])), .bypassed, .cancelled]
        }
        #expect(await scene.typed() == "9999")
        #expect(await scene.typed() == "bypassed")
        #expect(await scene.typed() == "cancelled")
        #expect(await scene.typed() == "cancelled")
    }

    @Test func `a PIN that is given takes the place of the profile's`() async throws {
        let scene = try Scene("pin-required", pin: [5, 6, 7, 8])
        #expect(await scene.typed() == "5678")
    }

    @Test func `who knows no PIN passes it over`() async throws {
        let scene = try Scene { $0.cardholder.pinEntries = [] }
        #expect(await scene.typed() == "bypassed")
    }

    @Test func `they choose their application by its AID, wherever it is in the list`() async throws {
        let scene = try Scene("multi-application") { $0.cardholder.chosenApplication = 1 }
        let choices = [[0xA0, 0, 0, 0, 3, 0x20, 0x10], [0xA0, 0, 0, 0, 3, 0x10, 0x10]].map {
            ApplicationChoice(name: "", aid: $0.map { UInt8($0) }, priority: nil, needsConfirmation: false)
        }
        #expect(await scene.person.chooseApplication(choices) == 0)
        #expect(await scene.person.chooseApplication(choices.reversed()) == 1)
        #expect(await scene.person.chooseApplication([]) == nil)
    }

    @Test func `who does nothing is given up, and who pulls the card out has none`() async throws {
        let scene = try Scene("pin-required") { $0.cardholder.pinEntries = [.nothing, .cardRemoved] }
        #expect(await scene.typed() == "cancelled")
        scene.person.observe(.waitingForInput(.insert))
        try await scene.wait(.milliseconds(1))
        #expect(scene.reader.hasCard())
        #expect(await scene.typed() == "cancelled")
        #expect(!scene.reader.hasCard())
    }
}
