import EMV
import Text

/// The identifier of a contactless kernel (tag 9F2A; EMV Contactless Book B §3.3.2.5): one byte for the kernels of the
/// payment systems, three to eight for domestic ones.
public struct KernelIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// 1 or 3...8 bytes.
    public let bytes: [UInt8]

    /// Takes the identifier of a kernel of this reader; nil unless `bytes` are one byte below 80 that is not 00, or
    /// three bytes from 80. If the low six bits of the first byte are zero, a domestic identifier may have up to eight
    /// bytes.
    public init?(_ bytes: [UInt8]) {
        guard let first = bytes.first, first != 0 else { return nil }
        if first & 0x80 == 0 {
            guard bytes.count == 1 else { return nil }
        } else {
            guard bytes.count == 3 || first & 0x3F == 0 && (3...8).contains(bytes.count) else { return nil }
        }
        self.bytes = bytes
    }

    fileprivate init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Kernel 1: Visa cards without 9F66 in their PDOL, until Book B 2.5.
    public static let kernel1 = KernelIdentifier(unchecked: [1])
    /// Kernel 2: Mastercard (Book C-2).
    public static let kernel2 = KernelIdentifier(unchecked: [2])
    /// Kernel 3: Visa (Book C-3).
    public static let kernel3 = KernelIdentifier(unchecked: [3])
    /// Kernel 4: American Express (Book C-4).
    public static let kernel4 = KernelIdentifier(unchecked: [4])
    /// Kernel 5: JCB (Book C-5).
    public static let kernel5 = KernelIdentifier(unchecked: [5])
    /// Kernel 6: Discover (Book C-6).
    public static let kernel6 = KernelIdentifier(unchecked: [6])
    /// Kernel 7: UnionPay (Book C-7).
    public static let kernel7 = KernelIdentifier(unchecked: [7])
    /// Kernel 8: every payment system (Book C-8). A card asks for it with 9F2A; no AID has it by default.
    public static let kernel8 = KernelIdentifier(unchecked: [8])

    /// Upper-case hexadecimal digits, for example `02`.
    public var description: String { bytes.hexadecimal }
}

/// The kernel that a directory entry asks for.
enum RequestedKernel: Hashable, Sendable {
    /// Every kernel that the reader has for the AID.
    case any
    case only(KernelIdentifier)

    /// Reads the value of 9F2A (Book B §3.3.2.5 C). Without a value, the RID of `adfName` decides.
    ///
    /// A domestic identifier has three bytes. With a short identifier of zero its length is not public: all bytes
    /// count, as in libpay.
    ///
    /// - Returns: nil for a domestic identifier of fewer than three bytes, and for one of more than eight.
    init?(value: [UInt8]?, adfName: [UInt8]) {
        guard let value, let first = value.first else {
            self = CardBrand(aid: adfName)?.defaultKernel.map(RequestedKernel.only) ?? .any
            return
        }
        guard value.count <= 8 else { return nil }
        switch (first & 0x80 == 0, first & 0x3F == 0) {
        case (true, _): self = first == 0 ? .any : .only(KernelIdentifier(unchecked: [first]))
        case (false, let hasNoShortIdentifier):
            guard value.count >= 3 else { return nil }
            self = .only(KernelIdentifier(unchecked: hasNoShortIdentifier ? value : Array(value.prefix(3))))
        }
    }

    func accepts(_ kernel: KernelIdentifier) -> Bool { self == .any || self == .only(kernel) }
}

extension CardBrand {
    /// The kernel for an application without a kernel identifier; nil if each kernel may run it.
    fileprivate var defaultKernel: KernelIdentifier? {
        switch self {
        case .mastercard: .kernel2
        case .visa: .kernel3
        case .americanExpress: .kernel4
        case .jcb: .kernel5
        case .discover: .kernel6
        case .unionPay: .kernel7
        case .interac, .usCommonDebit, .dna, .cartesBancaires, .girocard, .eftposAustralia, .ruPay, .mir, .pagoBancomat,
            .link:
            nil
        }
    }
}
