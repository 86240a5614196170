import EMV
import SmartCard
import Testing

/// The account number, the track, the holder's name and the PIN appear in nothing that can be printed.
struct SecrecyTests {
    /// Text in which the account number must not be found, as digits or as bytes in decimal.
    private func expectNoSecrets(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for canary in ["476173", "9001010010", "71, 97, 115", "DOE", "68, 79, 69", "1234FFFF", "36, 18, 52", "D3112"] {
            #expect(!text.contains(canary), "\(canary)", sourceLocation: sourceLocation)
        }
    }

    private func texts(_ value: Any) -> String {
        var text = String(describing: value) + String(reflecting: value)
        dump(value, to: &text)
        return text
    }

    private func profile() -> TestCard.Profile {
        var profile = TestCard.Profile.standard(
            cvmList: "0000000000000000 4103 4203 1F00", tlv(0x5F20, "444F452F4A414E45"),
            tlv(0x9F1F, "30303030"), tlv(0x9F20, "0000"))
        profile.verify = [.success]
        return profile
    }

    @Test func `outcomes and states of whole payments hold no secrets`() async throws {
        let states = Recorder<KernelState>()
        let changes: [(inout TestCard.Profile) -> Void] = [
            { _ in }, { $0.second = { _ in 0 } }, { $0.first = { _ in 0 } }, { $0.first = { _ in 0x40 } },
            { $0.verify = [StatusWord(0x63, 0xC0)] }, { $0.records[2] += tlv(0x5A, TestCard.Profile.pan) },
            { $0.records[0] += tlv(0x5F25, "AAAAAA") }, { $0.removal = { $0.ins == 0xAE && $1 == 1 } },
            { $0.records[0] = tlv(0x5A, "47617390010100F0") + tlv(0x5F24, "311231") },
        ]
        for change in changes {
            var profile = profile()
            change(&profile)
            let cardholder = TestCardholder(pins: [.digits([1, 2, 3, 4]), .digits([1, 2, 3, 4])])
            let outcome = try await TestKernel(cardholder: cardholder).run(TestCard(profile)) { states.record($0) }
            expectNoSecrets(texts(outcome))
        }
        expectNoSecrets(texts(states.values))
    }

    @Test func `errors hold no secrets`() {
        let errors: [KernelError] = [
            .channel(.cardRemoved), .cardBlocked, .applicationBlocked, .noApplication,
            .status(.readRecord, .fileNotFound),
            .malformedAnswer(.readRecord), .data(.duplicate(0x5A)), .data(.wrongFormat(0x57)), .accountMismatch,
            .fileLocator(.length(3)), .dataObjectList(0x8C, .truncated(offset: 1)),
            .cryptogramNotAsked(requested: .aac, received: .tc), .request(.date), .cryptography,
        ]
        for error in errors {
            expectNoSecrets(texts(error))
            #expect(!error.description.isEmpty)
        }
    }

    @Test func `the ICC data for the host holds neither account nor track`() async throws {
        let cardholder = TestCardholder(pins: [.digits([1, 2, 3, 4])])
        let kernel = TestKernel(cardholder: cardholder)
        let outcome = try await kernel.run(TestCard(profile()))
        let tags = outcome.iccData.map(\.tag) + (kernel.issuer.requests.first?.iccData.map(\.tag) ?? [])
        #expect(!tags.isEmpty)
        for tag: BERTag in [0x5A, 0x57, 0x5F20, 0x9F1F, 0x9F20, 0x5F24] { #expect(!tags.contains(tag)) }
    }
}
