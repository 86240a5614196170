import Simulator
import Testing

/// The included models, as identified by a host.
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

    @Test func `models have different vendor and product IDs, except two copies of the same real reader`() {
        let names = Dictionary(grouping: identities(), by: \.identity).mapValues { $0.map(\.name) }
        for (identity, names) in names where names.count > 1 {
            // Both are MagTek's, whose readers have one number whether they encipher or not.
            #expect(identity == Identity(vendor: 0x0801, product: 0x0002), "\(names)")
            #expect(names == ["msr-fixed", "msr-encrypted"])
        }
        #expect(names.count == identities().count - 1)
    }

    @Test func `models that are not copies of a real reader have IDs reserved for tests`() {
        for (name, identity) in identities() where identity.vendor != 0x0801 {
            #expect(identity.vendor == 0x1209 && (0x0001...0x000E).contains(identity.product), "\(name)")
        }
    }

    @Test func `names are distinct`() {
        let names = SimulatedReader.all.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
