import CardSecrets
import Cryptography
import Determinism
import EMV
import SmartCard

/// The limits, the request for a cryptogram, and its answer (Book C-8, states 20-25.7 to 29).
extension Kernel8Transaction {
    /// Applies the limits, decides, and returns GENERATE AC.
    mutating func cryptogramCommand() throws(Kernel8Error) -> CommandAPDU? {
        guard let amount else { throw .transactionData(EMVTag.amount) }
        guard database.has(EMVTag.date) else { throw .transactionData(EMVTag.date) }
        let exceedsCVMLimit = amount > configuration.cvmRequiredLimit
        let capability =
            exceedsCVMLimit ? configuration.cvmCapabilityRequired : configuration.cvmCapabilityNotRequired
        if exceedsCVMLimit { parameters.flags |= Kernel8Parameters.receiptFlag }
        database[EMVTag.capabilities] = [
            configuration.cardDataInputCapability, capability, configuration.securityCapability,
        ]
        var risk = database[Kernel8Tag.riskManagementData] ?? []
        risk += [UInt8](repeating: 0, count: max(0, 8 - risk.count))
        risk[0] = capability
        if exceedsCVMLimit { risk[1] |= 0x80 }
        database[Kernel8Tag.riskManagementData] = risk
        if amount > configuration.floorLimit { results.insert(.floorLimitExceeded) }
        let (name, aid) = (database[EMVTag.dfName] ?? [], database[EMVTag.terminalAID] ?? [])
        if !name.starts(with: aid) { results.insert(.applicationIdentifiersDiffer) }
        if !authenticatesLocally { results.insert(.localAuthenticationNotPerformed) }
        if relayExchange == nil { results.insert(.relayResistanceNotPerformed) }
        decision = analyzed()
        askedDecision = decision
        let list = try Self.list(EMVTag.cdol1, database[EMVTag.cdol1] ?? [], limit: 255)
        cdol1Values = database.filled(list)
        let asksForResults = list.entries.contains { $0.tag == EMVTag.verificationResults && $0.length == 5 }
        coveredResults = asksForResults ? results.bytes : nil
        isCryptogramAsked = true
        return Self.command(
            0x80, 0xAE, decision.referenceControlParameter, envelopesToWrite.isEmpty ? 0x00 : 0x80, cdol1Values)
    }

    /// Takes the answer to GENERATE AC: authenticates the card, checks the MACs, and decides again.
    ///
    /// - Parameters:
    ///   - answer: the data field of the answer.
    ///   - authorities: the reader's keys.
    ///   - revoked: the payment systems' revocation lists.
    ///   - now: the time in UTC, for the certificates.
    /// - Throws: ``Kernel8Error``
    mutating func takeCryptogram(
        _ answer: [UInt8], authorities: [ECCAuthorityKey], revoked: Set<CertificateRevocation>, now: CivilDate
    ) throws(Kernel8Error) {
        _ = try database.store(answer, template: EMVTag.responseFormat2)
        try database.demand(
            EMVTag.cryptogramInformation, EMVTag.transactionCounter, EMVTag.applicationCryptogram,
            EMVTag.issuerApplicationData, Kernel8Tag.edaMAC, Kernel8Tag.verificationDecision, EMVTag.pan)
        let hash = try staticDataHash()
        try authenticate(hash, authorities, revoked, now)
        try checkMACs(answer, hash)

        let information = database[EMVTag.cryptogramInformation]?.first ?? 0
        guard Kernel8Cryptogram(information: information)?.isAllowed(for: decision) == true else {
            throw .cryptogram(information: information, asked: decision)
        }
        if let card = Kernel8VerificationResults(bytes: database[Kernel8Tag.cardVerificationResults] ?? []) {
            results = results.merging(card: card, keeping: configuration.reservedResults)
        }
        let verification = Kernel8Verification(
            decision: database[Kernel8Tag.verificationDecision]?.first ?? 0xFF,
            capability: database[Kernel8Tag.riskManagementData]?.first ?? 0)
        results.formUnion(verification.verificationResults)
        database[EMVTag.cvmResults] = verification.results
        parameters.method = verification.method
        decision = analyzed()
        if !configuration.reportsFailedAuthentication { results.remove(.localAuthenticationFailed) }
    }

    /// The hash of the static data, with the objects of the extended SDA tag list (tag 9F810A).
    private func staticDataHash() throws(Kernel8Error) -> [UInt8] {
        let tags: [BERTag]
        do throws(BERTLVError) {
            tags = try StaticDataHash.tags(in: database[Kernel8Tag.extendedTagList] ?? [])
        } catch {
            throw .malformedList(Kernel8Tag.extendedTagList, offset: error.offset)
        }
        var content: [UInt8] = []
        defer { content.wipe() }
        for record in signedRecords { record.value.withUnsafeBytes { content += $0 } }
        do throws(CryptographyError) {
            return try StaticDataHash.compute(
                records: SensitiveBytes(content), extendedTags: tags,
                interchangeProfile: database[EMVTag.interchangeProfile] ?? [], value: database.copy)
        } catch {
            throw .cryptography(.cryptography(error))
        }
    }

    /// Verifies the certificates, and that the channel was made with the certified key. A failure is a bit of the TVR;
    /// a certificate that is missing altogether is an error.
    private mutating func authenticate(
        _ hash: [UInt8], _ authorities: [ECCAuthorityKey], _ revoked: Set<CertificateRevocation>, _ now: CivilDate
    ) throws(Kernel8Error) {
        guard authenticatesLocally else { return }
        for tag in [EMVTag.certificationAuthorityIndex, EMVTag.issuerCertificate, EMVTag.iccCertificate]
        where !database.has(tag) {
            throw .noCertificate(tag)
        }
        do throws(LocalAuthenticationError) {
            let key = try certifiedKey(hash, authorities, revoked, now)
            guard let channel, (try? channel.isBlindedKey(of: key)) == true else { throw .otherKey }
            localAuthentication = .succeeded
        } catch {
            localAuthentication = .failed(error)
            results.insert(.localAuthenticationFailed)
        }
    }

    private func certifiedKey(
        _ hash: [UInt8], _ authorities: [ECCAuthorityKey], _ revoked: Set<CertificateRevocation>, _ now: CivilDate
    ) throws(LocalAuthenticationError) -> EllipticCurvePoint {
        let name = database[EMVTag.dfName] ?? []
        let index = database[EMVTag.certificationAuthorityIndex]?.first ?? 0
        guard let authority = authorities.first(where: { $0.rid == Array(name.prefix(5)) && $0.index == index }) else {
            throw .unknownAuthority(index: index)
        }
        var digits = database.copy(EMVTag.pan) ?? []
        defer { digits.wipe() }
        guard let pan = try? PrimaryAccountNumber(compressedNumeric: digits) else {
            throw .certificate(.issuerIdentifier)
        }
        do throws(ECCCertificateError) {
            return try ECCCertificateChain.cardKey(
                issuerCertificate: database[EMVTag.issuerCertificate] ?? [],
                cardCertificate: database[EMVTag.iccCertificate] ?? [], authority: authority, keyIndex: index,
                dfName: name, pan: pan, staticDataHash: hash, now: now, revoked: revoked)
        } catch {
            throw .certificate(error)
        }
    }

    /// Makes the IAD-MAC, writes it where the issuer expects it, and verifies the EDA-MAC.
    private mutating func checkMACs(_ answer: [UInt8], _ hash: [UInt8]) throws(Kernel8Error) {
        guard let channel else { return }
        let objects = (try? BERTLV.parse(answer)) ?? []
        let input = ApplicationMACInput(
            pdolValues: pdolValues, cdol1Values: cdol1Values, relayResistance: relayExchange,
            answer: objects.first?.children ?? [], staticDataHash: hash)
        let mac: [UInt8]
        do throws(SecureChannelError) { mac = try channel.iadMAC(of: input) } catch { throw .cryptography(error) }
        do throws(IADMACError) {
            database[EMVTag.issuerApplicationData] = try IADMACPlacement(
                interchangeProfile: database[EMVTag.interchangeProfile] ?? []
            ).write(
                mac, into: database[EMVTag.issuerApplicationData] ?? [],
                defaultOffset: configuration.defaultIADMACOffset,
                cardOffset: database[Kernel8Tag.iadMACOffset]?.first)
        } catch {
            throw .placement(error)
        }
        database[Kernel8Tag.iadMAC] = mac
        do throws(SecureChannelError) {
            try channel.checkEDAMAC(
                database[Kernel8Tag.edaMAC] ?? [], cryptogram: database[EMVTag.applicationCryptogram] ?? [],
                iadMAC: mac)
        } catch {
            if case .wrongMAC = error { throw .wrongEDAMAC }
            throw .cryptography(error)
        }
    }
}
