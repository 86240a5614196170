internal import SmartCard

/// GET DATA (EMV Book 3 §6.5.7).
extension CardOperatingSystem {
    func getData(_ command: CommandAPDU) -> ResponseAPDU {
        guard let index = selectedIndex else { return .failed(.conditionsNotSatisfied) }
        let (memory, profile) = (memories[index], applications[index].profile)
        let tag = BERTag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
        let tags = OfflineLimitTags(profile.cryptogram)
        let value: [UInt8]?
        switch tag {
        case 0x9F36: value = memory.atc.bigEndianBytes
        case 0x9F13: value = memory.lastOnlineATC.bigEndianBytes
        case 0x9F17: value = memory.pinBlock == nil ? nil : [memory.pinTriesLeft]
        case 0x9F4F where profile.logRecords > 0:
            value = CardApplication.logFormat.flatMap { $0.tag.bytes + [UInt8($0.count)] }
        case tags.availableAmount:
            value = (memory.limits.upperAmount ?? memory.limits.lowerAmount).map {
                OfflineLimits.packedAmount($0.subtractingReportingOverflow(memory.offlineTotal).partialValue)
            }
        default: value = memory.limits.values(tags)[tag]
        }
        return value.map { .succeeded(BERTLV.encode(tag, $0)) } ?? .failed(.referencedDataNotFound)
    }
}
