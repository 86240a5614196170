import Simulator
import Testing

/// The models that come with the simulator, as a host tells them apart.
@Suite struct SimulatedModelTests {
    private struct Identity: Hashable {
        var vendor: UInt16
        var product: UInt16
    }

    /// What each device shows at its work and in update mode.
    private func identities() -> [(name: String, identity: Identity)] {
        SimulatedReaderModel.all.flatMap { model in
            var all = [(model.name, Identity(vendor: model.vendorID, product: model.productID))]
            if let firmware = model.firmware {
                all.append(
                    (
                        "\(model.name) in update mode",
                        Identity(vendor: model.vendorID, product: firmware.updateProductID)
                    )
                )
            }
            return all
        } + SimulatedMSRModel.all.map { ($0.name, Identity(vendor: $0.vendorID, product: $0.productID)) }
    }

    @Test func `no two models have the same vendor and product, but two of one real reader's kind`() {
        let names = Dictionary(grouping: identities(), by: \.identity).mapValues { $0.map(\.name) }
        for (identity, names) in names where names.count > 1 {
            // Both are MagTek's, whose readers have one number whether they encipher or not.
            #expect(identity == Identity(vendor: 0x0801, product: 0x0002), "\(names)")
            #expect(names == ["msr-fixed", "msr-encrypted"])
        }
        #expect(names.count == identities().count - 1)
    }

    @Test func `what is not a copy of a real reader has a number that is set aside for tests`() {
        for (name, identity) in identities() where identity.vendor != 0x0801 {
            #expect(identity.vendor == 0x1209 && (0x0001...0x000E).contains(identity.product), "\(name)")
        }
    }

    @Test func `names are distinct`() {
        let names = SimulatedReader.all.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
