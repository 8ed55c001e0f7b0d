export { expectReads, start, worker } from './index.js'
