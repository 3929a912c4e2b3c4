/** The flag of a start that may remove history which the settings do not keep. It is no setting: it is said once. */
export const removalFlag = '--remove-history'
