/// Offline data authentication (EMV Book 3 §10.3, Book 2 §5 and §6).
///
/// This kernel announces none of its methods in the terminal capabilities and performs none. It says so in
/// the TVR, and leaves the TSI alone, so that terminal action analysis sends the payment online or declines it.
enum OfflineDataAuthentication {
    static func perform(_ transaction: inout Transaction) {
        transaction.verificationResults.insert(.offlineDataAuthenticationNotPerformed)
    }
}
