import Determinism
import EMV
import Money
import SmartCard

@testable internal import EntryPoint

extension FuzzTarget {
    /// The directory of contactless applications on a card, and the selection that follows from it.
    static let contactlessDirectory = FuzzTarget(
        "ppse", longestInput: 512,
        seeds: {
            let name = BERTLV.encode(0x84, ContactlessDirectory.name)
            let mastercard = tlv(0x61, tlv(0x4F, "A0000000041010"), tlv(0x50, "4D43"), tlv(0x87, "01"))
            let visa = tlv(0x61, tlv(0x4F, "A0000000031010"), tlv(0x9F2A, "03"), tlv(0x87, "02"))
            let domestic = tlv(0x61, tlv(0x4F, "A00000000410"), tlv(0x9F2A, "810978"), tlv(0x9F29, "0102"))
            let wild = tlv(0x61, tlv(0x4F, "A000000004101001"), tlv(0x9F2A, "00"))
            return [
                tlv(0x6F, name, tlv(0xA5, tlv(0xBF0C, mastercard))),
                tlv(0x6F, name, tlv(0xA5, tlv(0xBF0C, visa, bytes("00"), domestic, wild))),
                tlv(0x6F, tlv(0xA5, tlv(0xBF0C, domestic, tlv(0x61, tlv(0x4F, "A000")), visa)), name),
                tlv(0x6F, tlv(0x84, "A0000000031010"), tlv(0xA5, tlv(0x9F38, "9F66049F0206"))),
            ]
        },
        run: { bytes in
            do throws(FileControlError) {
                let directory = try ContactlessDirectory(bytes)
                hold(!directory.entries.isEmpty, "a directory has entries")
                for result in directory.entries {
                    switch result {
                    case .success(let entry):
                        hold((5...16).contains(entry.adfName.count), "a name of 5 to 16 bytes")
                        hold((1...15).contains(entry.priority ?? 1), "a priority of 1 to 15")
                    case .failure(let error): hold((0...bytes.count).contains(error.offset), "a defect has a place")
                    }
                }
            } catch {
                hold((0...bytes.count).contains(error.offset), "an error has a place")
            }
            if let file = try? SelectedFile(bytes) {
                hold((5...16).contains(file.dfName?.count ?? 5), "a DF name of 5 to 16 bytes")
            }
            try select(from: bytes)
        })

    /// Runs a transaction with a card of this directory, of which every second application refuses.
    private static func select(from directory: [UInt8]) throws {
        let kernels: [KernelIdentifier] = [.kernel2, .kernel3, .kernel8]
        var combinations: [ReaderCombination] = []
        for kernel in kernels {
            for system: UInt8 in [3, 4] {
                combinations.append(
                    try ReaderCombination(
                        aid: [0xA0, 0, 0, 0, system], kernel: kernel, supportsExtendedSelection: kernel != .kernel3))
            }
        }
        var entryPoint = ContactlessEntryPoint(
            configuration: try EntryPointConfiguration(
                terminal: .standard, combinations: [.goodsOrServices: combinations]),
            kernels: try KernelRegistry(kernels.map { KernelRegistration($0) { PassingKernel() } }),
            random: SeededRandomSource(seed: 1))
        let request = TransactionRequest(
            amount: try Money(minorUnits: 1250, currency: .usDollar), date: CivilDate(year: 2026, month: 1, day: 2),
            sequenceCounter: 1)
        _ = try entryPoint.begin(request)
        var actions = try entryPoint.handle(.cardDetected)
        var count = 0
        while case .transmit(let command)? = actions.last {
            count += 1
            hold(count <= 500, "selection ends")
            hold((5...16).contains(command.data.count), "a name of 5 to 16 bytes is selected")
            let response =
                if command.data == ContactlessDirectory.name {
                    ResponseAPDU(data: directory, status: .success)
                } else if count.isMultiple(of: 2) {
                    ResponseAPDU(status: .fileNotFound)
                } else {
                    ResponseAPDU(
                        data: tlv(
                            0x6F, BERTLV.encode(0x84, command.data), tlv(0xA5, tlv(0x9F38, "9F66049F0206"))),
                        status: .success)
                }
            actions = try entryPoint.handle(.response(response, took: .zero))
        }
        hold(entryPoint.phase == .idle, "a card without a usable application ends the transaction")
    }
}

/// A kernel that passes every application by.
private struct PassingKernel: ContactlessKernel {
    mutating func activate(_ activation: KernelActivation) -> KernelStep {
        KernelStep(.finish(ContactlessOutcome(.selectNext, start: .c)))
    }

    mutating func receive(_ input: KernelInput) -> KernelStep {
        KernelStep(.finish(ContactlessOutcome(.endApplication)))
    }
}
